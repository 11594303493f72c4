// SPDX-License-Identifier: Apache-2.0
// What nearly every test includes, compiled once: a build of the tests takes a third less so. Each file still includes
// what it uses.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
