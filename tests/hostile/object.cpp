// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/object.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "core/base/digest.h"
#include "core/base/ensure.h"
#include "tests/support/pattern.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace arkvory::hostile {

namespace {

constexpr std::size_t kBig = 50'332'425;

Object object_of(std::vector<std::byte> bytes) {
  auto digest = sha256_of(bytes);
  return {std::move(bytes), std::move(digest)};
}

std::vector<std::byte> packed(const std::vector<std::byte>& bytes) {
  const test::TempFolder folder;
  const auto plain = folder / "a";
  std::ofstream(plain, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ensure(test::run({"gzip", "-n", "-1", plain.string()}).end.exit_code == 0, "a test can run gzip");
  std::ifstream file(folder / "a.gz", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> result(text.size());
  std::memcpy(result.data(), text.data(), text.size());
  return result;
}

}  // namespace

const Object& small_object() {
  static const Object object = object_of(test::pattern(4, kSmall));
  return object;
}

const Object& big_object() {
  static const Object object = object_of(grown_object(kBig));
  return object;
}

const Object& other_object() {
  static const Object object = object_of(test::pattern(6, kSmall));
  return object;
}

const Object& packed_object() {
  static const Object object = object_of(packed(small_object().bytes));
  return object;
}

const Object& empty_object() {
  static const Object object = object_of({});
  return object;
}

std::vector<std::byte> grown_object(std::size_t size) { return test::pattern(5, size); }

std::string sha256_of(const std::vector<std::byte>& bytes) {
  Sha256 sha256;
  sha256.update(bytes);
  return sha256.finish().to_hex();
}

}  // namespace arkvory::hostile
