#include "table/part_copy.hpp"

#include <GL/glx.h>

#include <string_view>

namespace overboard::table {
namespace {

bool has(const char* words, std::string_view wanted) {
    return words && std::string_view{words}.find(wanted) != std::string_view::npos;
}

bool by_software() {
    const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return has(renderer, "llvmpipe") || has(renderer, "softpipe") || has(renderer, "swrast");
}

}  // namespace

PartCopy part_copy() {
    Display* const display = glXGetCurrentDisplay();
    if (!display || !by_software()) return {};
    if (!has(glXQueryExtensionsString(display, DefaultScreen(display)), "GLX_MESA_copy_sub_buffer"))
        return {};
    const auto copy = reinterpret_cast<PFNGLXCOPYSUBBUFFERMESAPROC>(
        glXGetProcAddressARB(reinterpret_cast<const GLubyte*>("glXCopySubBufferMESA")));
    if (!copy) return {};
    return [copy](int x, int y, int width, int height) {
        copy(glXGetCurrentDisplay(), glXGetCurrentDrawable(), x, y, width, height);
    };
}

}  // namespace overboard::table
