// SPDX-License-Identifier: Apache-2.0
// arkvory-stub: where its parts are put together.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "server-stub/http/line_writer.h"
#include "server-stub/http/log.h"
#include "server-stub/http/server.h"
#include "server-stub/http/tls_context.h"
#include "server-stub/mishap/mishap_file.h"
#include "server-stub/objects/digest_index.h"
#include "server-stub/objects/indexer.h"
#include "server-stub/objects/object_store.h"
#include "server-stub/objects/root_folder.h"
#include "server-stub/options.h"
#include "server-stub/store/control_keys.h"
#include "server-stub/store/memory_store.h"
#include "server-stub/store/principals.h"
#include "server-stub/store/sqlite_backup.h"
#include "server-stub/store/sqlite_store.h"
#include "server-stub/store/store.h"

namespace {

using namespace arkvory;

// The numbers of arkvoryctl's table, as far as they mean something here.
constexpr int kOk = 0;
constexpr int kUsage = 2;
constexpr int kLocal = 10;

int complain(const Error& error) {
  std::fprintf(stderr, "arkvory-stub: %s\n", error.text().c_str());
  return error.fault == Fault::usage ? kUsage : kLocal;
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// Each connection and each file being sent is a descriptor. Returns how many there may be.
std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

std::optional<std::string> environment(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return value;
}

Result<std::unique_ptr<server::Store>> open_store(const std::filesystem::path& folder) {
  if (folder.empty()) return std::unique_ptr<server::Store>(std::make_unique<server::MemoryStore>());
  auto store = server::SqliteStore::open(folder);
  if (!store) return pass_on(store.error());
  return std::unique_ptr<server::Store>(std::move(*store));
}

int add_token(const server::TokenOptions& options) {
  PosixFileSystem files;
  const auto token = server::add_principal(files, options.principals, options.added);
  if (!token) return complain(token.error());
  print(*token + "\n");
  if (std::ferror(stdout) == 0) return kOk;
  return complain({Fault::local, "cannot print the token, which nobody will ever know: take " + options.added.name +
                                     " out of " + options.principals.string() + " and make another"});
}

int back_up_or_restore(const server::BackupOptions& options) {
  PosixFileSystem files;
  const auto done = options.is_restore ? server::restore_backup(files, options.file, options.state)
                                       : server::write_backup(files, options.state, options.file);
  if (!done) return complain(done.error());
  print((options.is_restore ? options.state : options.file).string() + ": accounts " + std::to_string(done->accounts) +
        ", rows of the audit " + std::to_string(done->changes) +
        "; never in a backup: the ticket key, the queue, the settings\n");
  return kOk;
}

// What a file holds, and how to read it again; neither where no file is named.
template <typename Value>
struct Loaded {
  std::optional<Value> value{};
  std::function<Result<Value>()> again{};
};

template <typename Value>
Result<Loaded<Value>> loaded(const std::filesystem::path& file, std::function<Result<Value>()> read) {
  if (file.empty()) return Loaded<Value>{};
  auto value = read();
  if (!value) return pass_on(value.error());
  return Loaded<Value>{std::move(*value), std::move(read)};
}

int serve(const server::ServeOptions& options) {
  const SystemClock clock;
  server::LineWriter log_lines(STDERR_FILENO, false);
  server::Log log(log_lines, options.log, clock);
  auto root = server::RootFolder::open_root(options.root);
  if (!root) return complain(root.error());
  std::unique_ptr<server::LineWriter> access_lines;
  if (!options.access_log.empty()) {
    auto opened = server::LineWriter::open(options.access_log);
    if (!opened) return complain(opened.error());
    access_lines = std::move(*opened);
  }
  PosixFileSystem files;
  const auto principals = loaded<server::Principals>(
      options.principals, [&files, &options] { return server::Principals::load(files, options.principals); });
  if (!principals) return complain(principals.error());
  const auto control_keys = loaded<server::ControlKeys>(
      options.control_keys, [&files, &options] { return server::ControlKeys::load(files, options.control_keys); });
  if (!control_keys) return complain(control_keys.error());
  const auto tls = loaded<server::TlsContext>(
      options.tls_key, [&options] { return server::TlsContext::load(options.tls_certificates, options.tls_key); });
  if (!tls) return complain(tls.error());
  const auto mishaps = loaded<server::MishapScript>(
      options.mishap, [&files, &options] { return server::load_mishaps(files, options.mishap); });
  if (!mishaps) return complain(mishaps.error());
  const auto state = open_store(options.state);
  if (!state) return complain(state.error());
  const auto descriptors = raise_descriptor_limit();
  server::DigestIndex index;
  server::Indexer indexer(**root, index, clock);
  server::ObjectStore store(**root, index, indexer);
  server::Server server({.scheduler = options.scheduler,
                         .stop_timeout = options.stop_timeout,
                         .trusted_proxies = options.trusted_proxies},
                        {.store = store,
                         .clock = clock,
                         .log = log,
                         .state = **state,
                         .has_state = !options.state.empty(),
                         .principals = principals->value.value_or(server::Principals{}),
                         .control_keys = control_keys->value.value_or(server::ControlKeys{}),
                         .tls = tls->value,
                         .mishaps = mishaps->value,
                         .reload_principals = principals->again,
                         .reload_control_keys = control_keys->again,
                         .reload_tls = tls->again,
                         .reload_mishaps = mishaps->again,
                         .access_lines = access_lines.get(),
                         .access_form = options.log});
  const auto address = server.listen(options.listen);
  if (!address) return complain(address.error());
  server.stop_on_signals();
  if (options.state.empty())
    log.info("in_memory", {{"lost_at_the_end", "the queue, the key of its tickets and changed settings"}});
  if (mishaps->value) log.warn("mishaps", {{"file", options.mishap.string()}, {"rules", mishaps->value->size()}});
  const auto url = address->url(tls->value.has_value());
  log.info("listening", {{"url", url}, {"root", options.root.string()}, {"descriptors", descriptors}});
  print("listening " + url + "\n");
  const bool workers_ended = server.run();
  const bool indexer_ended = indexer.finish(std::chrono::seconds(1));
  log.info("stopped");
  log_lines.flush(std::chrono::seconds(1));
  if (workers_ended && indexer_ended) return kOk;
  // A thread hangs in a disk that does not answer; waiting for it would be waiting for ever.
  if (access_lines) access_lines->flush(std::chrono::seconds(1));
  std::_Exit(kOk);
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto command = server::parse_command_line(count, arguments, environment);
  if (!command) return complain(command.error());
  if (const auto* shown = std::get_if<server::ShowText>(&*command)) {
    print(shown->text);
    return kOk;
  }
  if (const auto* token = std::get_if<server::TokenOptions>(&*command)) return add_token(*token);
  if (const auto* simulated = std::get_if<server::SimulateOptions>(&*command)) {
    const auto done = server::run_simulate(*simulated);
    return done ? kOk : complain(done.error());
  }
  if (const auto* backup = std::get_if<server::BackupOptions>(&*command)) return back_up_or_restore(*backup);
  return serve(std::get<server::ServeOptions>(*command));
}
