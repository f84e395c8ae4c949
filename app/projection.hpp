#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "bus/socket.hpp"
#include "table/table_app.hpp"

namespace overboard::app {

/// What the table shows as an OpenCV picture; empty before the first one.
cv::Mat as_bgr(const table::Picture& picture);

/// The table room with nobody at it, in step with a simulated match: what it would project. Draws
/// on a display of its own where there is none.
class Projection {
public:
    explicit Projection(const Table& table);
    ~Projection();

    void publish(std::string_view topic, std::string_view json);  ///< What the rules say.
    void show(const Observation& seen);                           ///< What vision says.
    /// One step of the table; it may ask the rules. True: it shows something else than before.
    bool step(double now_s, const Server::Handler& rules);
    [[nodiscard]] const cv::Mat& picture() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace overboard::app
