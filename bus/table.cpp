#include "bus/table.hpp"

#include <fstream>
#include <stdexcept>

#include "bus/json.hpp"

namespace overboard {

Table load_table(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot open table file " + file.string());
    try {
        const Json json = Json::parse(in);
        Table table;
        table.width_mm = json.value("width_mm", table.width_mm);
        table.height_mm = json.value("height_mm", table.height_mm);
        table.marker_mm = json.value("marker_mm", table.marker_mm);
        table.dictionary = json.value("dictionary", table.dictionary);
        if (json.contains("markers")) {
            table.markers.clear();
            for (const Json& m : json.at("markers"))
                table.markers.push_back(
                    {m.at("id").get<int>(),
                     {m.at("centre").at(0).get<double>(), m.at("centre").at(1).get<double>()}});
        }
        return table;
    } catch (const Json::exception& e) {
        throw std::runtime_error("table file " + file.string() + " is not right: " + e.what());
    }
}

}  // namespace overboard
