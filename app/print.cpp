#include <fmt/format.h>

#include "app/commands.hpp"
#include "simulator/print.hpp"

namespace overboard::app {
namespace {

struct Wish {
    std::string what, out, paper = "A4";
};

void print(const Wish& wish) {
    const std::string file = wish.out.empty() ? wish.what + ".pdf" : wish.out;
    try {
        const int pages = simulator::print_pdf(wish.what, file, simulator::paper_named(wish.paper));
        fmt::print("{}: {} page{}; print at 100 % and measure the bar\n", file, pages,
                   pages == 1 ? "" : "s");
    } catch (const std::invalid_argument& e) {
        throw CLI::ValidationError("print", e.what());
    }
}

}  // namespace

void add_print(CLI::App& app) {
    auto* command = app.add_subcommand("print", "Printable pieces, boards and markers as PDF");
    auto wish = std::make_shared<Wish>();
    command->add_option("WHAT", wish->what, "A game, 'markers' or 'calibration'")->required();
    command->add_option("--out", wish->out, "The file; else WHAT.pdf in this folder");
    command->add_option("--paper", wish->paper, "A4, A3 or letter");
    command->callback([wish] { print(*wish); });
}

}  // namespace overboard::app
