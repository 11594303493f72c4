// SPDX-License-Identifier: Apache-2.0
#include "cli/credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "cli/option_values.h"
#include "cli/secret_file.h"
#include "core/base/base64.h"
#include "core/http/percent.h"

namespace arkvory::cli {

namespace {

constexpr std::string_view kAuthorization = "Authorization";

// RFC 7617 §2: user-id and password joined by a colon.
std::string basic(const Secret& userinfo) {
  auto pair = percent_decoded_where_valid(userinfo.reveal());
  if (userinfo.reveal().find(':') == std::string_view::npos) pair += ':';
  return "Basic " + to_base64(std::as_bytes(std::span(pair)));
}

Result<std::string> bearer(const Secret& token, std::string_view source) {
  const auto text = trimmed(token.reveal());
  const bool visible = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
  if (text.empty()) return fail(Fault::auth, fmt::format("{} holds no token", source));
  if (!visible) return fail(Fault::auth, fmt::format("{} holds more than one token on one line", source));
  return "Bearer " + std::string(text);
}

// The token's Authorization, from the file or else from ARKVORY_TOKEN; nothing where there is neither.
Result<std::optional<std::string>> token_authorization(const CredentialOptions& options,
                                                       const Environment& environment) {
  if (!options.token_file.empty()) {
    const auto content = read_secret_file(options.token_file, OthersMayRead::no);
    if (!content) return pass_on(content.error());
    // A file ends with an end of line, as editors write it.
    auto text = std::string(content->reveal());
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    auto value = bearer(Secret(std::move(text)), "token file " + options.token_file.native());
    if (!value) return pass_on(value.error());
    return std::optional(std::move(*value));
  }
  const auto token = variable(environment, "ARKVORY_TOKEN");
  if (!token) return std::optional<std::string>();
  auto value = bearer(Secret(*token), "the variable ARKVORY_TOKEN");
  if (!value) return pass_on(value.error());
  return std::optional(std::move(*value));
}

// Lines `NAME: VALUE`; empty ones and those that begin with `#` are passed over.
Result<void> add_header_file(Headers& headers, const std::filesystem::path& file) {
  const auto content = read_secret_file(file, OthersMayRead::yes);
  if (!content) return pass_on(content.error());
  auto rest = content->reveal();
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto field = header_from(line);
    if (!field) return fail(Fault::usage, fmt::format("{}, line {}: {}", file.native(), number, field.error().words));
    headers.add(field->name, field->value);
  }
  return {};
}

}  // namespace

Result<Headers> request_headers(const CredentialOptions& options, bool insecure, const Url& url,
                                const Environment& environment) {
  auto headers = options.headers;
  for (const auto& file : options.header_files)
    if (auto added = add_header_file(headers, file); !added) return pass_on(added.error());
  if (!headers.has(kAuthorization) && !url.userinfo().empty())
    headers.add(std::string(kAuthorization), basic(url.userinfo()));
  if (!headers.has(kAuthorization)) {
    auto token = token_authorization(options, environment);
    if (!token) return pass_on(token.error());
    if (token->has_value()) headers.add(std::string(kAuthorization), std::move(**token));
  }
  const bool in_the_clear = url.scheme() == "http" && !url.is_loopback();
  if (in_the_clear && !insecure && headers.has(kAuthorization))
    return fail(Fault::usage,
                fmt::format("credentials would go unencrypted to {}; --insecure allows it", url.origin()));
  return headers;
}

void note_sources(Shape& shape, const CredentialOptions& options, const Url& url,
                  const std::filesystem::path& current) {
  if (!options.token_file.empty()) shape.token_file = (current / options.token_file).lexically_normal();
  for (const auto& file : options.header_files) shape.header_files.push_back((current / file).lexically_normal());
  for (const auto& field : options.headers.fields()) shape.header_names.push_back(field.name);
  if (!url.userinfo().empty() && !options.headers.has(kAuthorization)) shape.header_names.emplace_back(kAuthorization);
}

Result<CredentialOptions> credentials_for_resume(const Shape& shape, const CredentialOptions& options,
                                                 const Environment& environment) {
  auto together = options;
  if (together.token_file.empty()) together.token_file = shape.token_file;
  if (together.header_files.empty()) together.header_files = shape.header_files;

  // A header may also come from a file that this run names anew.
  Headers known = together.headers;
  for (const auto& file : together.header_files)
    if (auto added = add_header_file(known, file); !added) return pass_on(added.error());
  const bool has_token =
      !together.token_file.empty() || together.use_netrc || variable(environment, "ARKVORY_TOKEN").has_value();
  for (const auto& name : shape.header_names) {
    if (known.has(name) || (has_token && equal_ignoring_case(name, kAuthorization))) continue;
    return fail(Fault::auth, fmt::format("the value of header {} was not kept; give it again with -H", name));
  }
  return together;
}

}  // namespace arkvory::cli
