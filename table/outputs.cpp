#include "table/outputs.hpp"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/extensions/Xrandr.h>

#include <memory>
#include <stdexcept>

namespace overboard::table {
namespace {

struct Close {
    void operator()(Display* d) const { XCloseDisplay(d); }
};
using Connection = std::unique_ptr<Display, Close>;

Connection connect() {
    return Connection{XOpenDisplay(nullptr)};
}

std::optional<Output> lit(Display* display, XRRScreenResources* screen, RROutput id) {
    std::optional<Output> found;
    if (XRROutputInfo* info = XRRGetOutputInfo(display, screen, id)) {
        if (info->connection != RR_Disconnected && info->crtc)
            if (XRRCrtcInfo* crtc = XRRGetCrtcInfo(display, screen, info->crtc)) {
                found = Output{std::string(info->name, static_cast<std::size_t>(info->nameLen)),
                               crtc->x, crtc->y, static_cast<int>(crtc->width),
                               static_cast<int>(crtc->height)};
                XRRFreeCrtcInfo(crtc);
            }
        XRRFreeOutputInfo(info);
    }
    return found;
}

}  // namespace

bool display_present() {
    return connect() != nullptr;
}

std::vector<Output> outputs() {
    std::vector<Output> all;
    const Connection display = connect();
    int event = 0, error = 0;
    if (!display || !XRRQueryExtension(display.get(), &event, &error)) return all;
    XRRScreenResources* screen = XRRGetScreenResourcesCurrent(display.get(),
                                                              DefaultRootWindow(display.get()));
    if (!screen) return all;
    for (int i = 0; i < screen->noutput; ++i)
        if (auto output = lit(display.get(), screen, screen->outputs[i])) all.push_back(*output);
    XRRFreeScreenResources(screen);
    return all;
}

std::optional<Output> find_output(const std::string& name) {
    for (const Output& output : outputs())
        if (output.name == name) return output;
    return {};
}

Output require_output(const std::string& name) {
    if (const auto found = find_output(name)) return *found;
    std::string there;
    for (const Output& output : outputs()) there += (there.empty() ? "" : ", ") + output.name;
    throw std::runtime_error("no output named '" + name + "'; there is " +
                             (there.empty() ? "none" : there));
}

void keep_full_screen(unsigned long window) {
    const Connection display = connect();
    if (!display) return;
    const Atom state = XInternAtom(display.get(), "_NET_WM_STATE", False);
    for (const char* name : {"_NET_WM_STATE_ABOVE", "_NET_WM_STATE_FULLSCREEN"}) {
        XEvent event{};
        event.xclient.type = ClientMessage;
        event.xclient.window = window;
        event.xclient.message_type = state;
        event.xclient.format = 32;
        event.xclient.data.l[0] = 1;  // add
        event.xclient.data.l[1] = static_cast<long>(XInternAtom(display.get(), name, False));
        XSendEvent(display.get(), DefaultRootWindow(display.get()), False,
                   SubstructureRedirectMask | SubstructureNotifyMask, &event);
    }
    XFlush(display.get());
}

}  // namespace overboard::table
