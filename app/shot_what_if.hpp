#pragma once

#include "table/replay.hpp"

namespace overboard::app {

/// Computes what would have followed another aim or force, by the physics fitted to the recorded
/// shot: its strike, and the table's friction and restitutions as far as this shot tells them. A
/// shot that chaos won is continued with the usual table. Remembers the fit of the shot asked about
/// last.
table::WhatIfMaker fitted_what_if();

}  // namespace overboard::app
