#pragma once

#include "bus/socket.hpp"

namespace overboard {

/// How this process introduces itself: every Client and Subscriber over tcp:// that brings no
/// Security of its own uses these keys from now on. Call it before any of them is made; servers
/// without that server key are then not understood.
void trust(const Security& servers);

}  // namespace overboard
