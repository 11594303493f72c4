// SPDX-License-Identifier: Apache-2.0
#include "cli/transport_choice.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/messages.h"

namespace arkvory::cli {

namespace {

Result<std::filesystem::path> readable(const std::filesystem::path& current, const std::filesystem::path& file,
                                       Fault fault) {
  if (file.empty()) return std::filesystem::path();
  auto path = (current / file).lexically_normal();
  if (::access(path.c_str(), R_OK) == 0) return path;
  return fail(fault, fmt::format("{} can't be read", file.native()), std::generic_category().message(errno));
}

}  // namespace

Result<TransportOptions> transport_options(const RunOptions& run, const std::filesystem::path& current,
                                           TextOutput& trace) {
  TransportOptions options;
  options.user_agent = "arkvoryctl/" ARKVORY_VERSION;
  options.proxy = run.network.proxy;
  options.verify_peer = !run.network.insecure;
  options.use_netrc = run.credentials.use_netrc;
  auto ca_file = readable(current, run.network.ca_file, Fault::local);
  if (!ca_file) return pass_on(ca_file.error());
  auto certificate = readable(current, run.network.certificate, Fault::auth);
  if (!certificate) return pass_on(certificate.error());
  auto key = readable(current, run.network.key, Fault::auth);
  if (!key) return pass_on(key.error());
  options.ca_file = std::move(*ca_file);
  options.client_certificate = std::move(*certificate);
  options.client_key = std::move(*key);

  const bool all = run.view.verbose > 1;
  if (run.view.verbose == 0) return options;
  options.trace = [&trace, all](std::string_view line) {
    // Requests and answers begin with `>` and `<`; the rest is about the wire.
    if (all || line.starts_with('>') || line.starts_with('<')) trace.write(program_line(line));
  };
  return options;
}

}  // namespace arkvory::cli
