// SPDX-License-Identifier: Apache-2.0
// A server that lies: each lie is a small amendment of what a correct origin would have answered, and several can be
// told at once. What a client may be asked for depends on the worst of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/world.h"

namespace arkvory::sim {

enum class Harm {
  // Odd frames around right bytes with right validators. The target must become right, digest or not, and what is held
  // is never begun again.
  form,
  // The validators tell nothing, or too much; the bytes are right. The target must become right, digest or not.
  identity,
  // Wrong bytes under right names, or another object that nothing in the head tells from this one. Only a digest can
  // tell, so that without one nothing can be asked for.
  bytes,
};

class Liar {
 public:
  // Has the last word on each answer of the world's origin from now on.
  explicit Liar(World& world);

  // Another version is there from now on. With `keeps_tag` under the validators of the one before (Harm::bytes).
  void serve(const Version& version, bool keeps_tag = false);
  const Version& version() const { return version_; }

  // One more lie of at most this harm, drawn by chance: told for a while, to some of the requests.
  void begin(Harm worst);
  // Each answer comes under the tag of one of three edges, which each version has of its own.
  void tell_edges(Duration length);
  // From now on it tells the truth.
  void calm();
  // Lies so far, for a message.
  const std::string& told() const { return told_; }

 private:
  using Tell = void (Liar::*)(SimAnswer&);
  struct Kind {
    const char* name;
    Harm harm;
    Tell tell;
  };
  struct Spell {
    Tell tell;
    Instant from;
    Instant until;
    unsigned percent;
  };

  void amend(const SimRequest& request, SimAnswer& answer);
  void become_whole(SimAnswer& answer) const;

  void begin_late(SimAnswer& answer);
  void state_other_total(SimAnswer& answer);
  void malform_range(SimAnswer& answer);
  void state_no_range(SimAnswer& answer);
  void send_multipart(SimAnswer& answer);
  void send_whole(SimAnswer& answer);
  void deny_range(SimAnswer& answer);
  void add_surplus(SimAnswer& answer);
  void end_early(SimAnswer& answer);
  void send_less(SimAnswer& answer);
  void label_encoded(SimAnswer& answer);
  void accept_none(SimAnswer& answer);
  void state_other_length(SimAnswer& answer);
  void redirect(SimAnswer& answer);
  void refuse(SimAnswer& answer);
  void bear_few(SimAnswer& answer);
  void slow_one(SimAnswer& answer);
  void state_digest(SimAnswer& answer);

  void drop_tags(SimAnswer& answer);
  void weaken_tag(SimAnswer& answer);
  void tag_by_edge(SimAnswer& answer);
  void move_date(SimAnswer& answer);

  void spoil_byte(SimAnswer& answer);
  void be_a_portal(SimAnswer& answer);
  void cut_whole(SimAnswer& answer);
  void state_wrong_digest(SimAnswer& answer);

  static const std::vector<Kind>& kinds();

  World& world_;
  Version version_;
  std::vector<Spell> spells_;
  std::string told_;
  std::string path_;  // of the request that is answered now
  std::uint64_t number_ = 0;
  std::uint64_t tag_ = 0;
  std::optional<Sha256Digest> digest_;  // of the version, once it was asked for
  std::string last_signature_;
  int signature_uses_ = 0;
};

}  // namespace arkvory::sim
