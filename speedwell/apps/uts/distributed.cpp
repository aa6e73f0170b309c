#include "speedwell/apps/uts/distributed.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <thread>
#include <vector>

#include "speedwell/apps/uts/searcher.hpp"

namespace speedwell::uts {
namespace {

constexpr int steps_between_looks = 32;  // two thousand nodes

/// What travels; all letters are as long as each other, since who receives must know.
struct Letter {
  enum Kind : std::int32_t { request, nodes, token, end };
  static constexpr std::size_t most = 64;
  std::int32_t kind = end, count = 0;  // nodes, perhaps none
  std::int64_t balance = 0;            // of a token: letters with nodes that were sent and have not arrived
  std::int64_t black = 0;              // and whether somebody was given nodes since the last one
  Open open[most];
};

/// Letters to and from one other rank: one is under way each way, those after it wait.
class Peer {
 public:
  Peer(const comm::Communicator& ranks, int rank) : ranks_(ranks), rank_(rank) { listen(); }

  void send(const Letter& letter) {
    outgoing_.push_back(letter);
    if (outgoing_.size() == 1) begin();
  }
  /// A letter that has come, or none. Lets those go on that wait to be sent.
  const Letter* look() {
    if (!outgoing_.empty() && sending_.ended()) {
      outgoing_.pop_front();
      if (!outgoing_.empty()) begin();
    }
    if (silent_ || !receiving_.ended()) return nullptr;
    silent_ = incoming_.kind == Letter::end;
    return &incoming_;
  }
  /// For the next letter, when the last one has been read.
  void listen() {
    if (!silent_) receiving_ = ranks_.start_receive(std::span<Letter>(&incoming_, 1), rank_);
  }
  /// Whether all has come and gone.
  bool over() const { return silent_ && outgoing_.empty(); }

 private:
  void begin() { sending_ = ranks_.start_send(std::span<const Letter>(&outgoing_.front(), 1), rank_); }

  const comm::Communicator& ranks_;
  int rank_;
  std::deque<Letter> outgoing_;  // the first is under way
  Letter incoming_;
  comm::Request sending_, receiving_;
  bool silent_ = false;
};

/// One rank's part. The end is found by Safra's token (Dijkstra's note 998): it goes round when ranks have no nodes and
/// sums up letters with nodes that were sent less those that came; a round in which nobody was given any, and with a
/// sum of 0, is the last.
class RankSearch {
 public:
  RankSearch(const comm::Communicator& ranks, const Tree& tree, const ChildRule& rule)
      : rank_(ranks.rank()), size_(ranks.size()), searcher_(rule), chance_(static_cast<std::uint32_t>(rank_) + 1) {
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) peers_.emplace_back(ranks, r);
    }
    if (rank_ == 0) searcher_.begin(tree.seed);
  }

  Counts run() {
    while (!ended_) {
      for (int i = 0; i < steps_between_looks && !searcher_.empty(); ++i) searcher_.step();
      look();
      if (searcher_.empty() && !ended_) idle();
    }
    for (Peer& peer : peers_) peer.send(Letter{});  // the last: nobody is answered any more
    while (!std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.over(); })) {
      look();
      std::this_thread::yield();
    }
    return searcher_.counts();
  }

 private:
  void look() {
    for (std::size_t i = 0; i < peers_.size(); ++i)
      while (const Letter* const letter = peers_[i].look()) {
        read(*letter, i);
        peers_[i].listen();
      }
  }

  void read(const Letter& letter, std::size_t from) {
    switch (letter.kind) {
      case Letter::request:
        return answer(from);
      case Letter::nodes:
        asked_ = false;
        if (letter.count == 0) return;
        searcher_.accept({letter.open, static_cast<std::size_t>(letter.count)});
        --balance_;
        black_ = true;
        return;
      case Letter::token:
        has_token_ = true;
        token_ = letter;
        return;
      case Letter::end:
        ended_ = true;
    }
  }

  void answer(std::size_t to) {
    if (ended_) return;
    Letter letter;
    letter.kind = Letter::nodes;
    const std::vector<Open> given = searcher_.give(Letter::most);
    std::copy(given.begin(), given.end(), letter.open);
    letter.count = static_cast<std::int32_t>(given.size());
    if (letter.count > 0) ++balance_;
    peers_[to].send(letter);
  }

  void idle() {
    if (size_ == 1) {
      ended_ = true;
      return;
    }
    pass_token();
    if (ended_) return;
    if (!asked_) {
      Letter letter;
      letter.kind = Letter::request;
      chance_ = chance_ * 1664525u + 1013904223u;  // whom to ask
      peers_[static_cast<std::size_t>((std::uint64_t{chance_} * peers_.size()) >> 32)].send(letter);
      asked_ = true;
    }
    std::this_thread::yield();
  }

  void pass_token() {
    if (rank_ == 0) {
      if (under_way_ && !has_token_) return;
      if (under_way_ && !token_.black && !black_ && token_.balance + balance_ == 0) {
        ended_ = true;
        return;
      }
      under_way_ = true;
      token_ = Letter{};
      token_.kind = Letter::token;
    } else {
      if (!has_token_) return;
      token_.balance += balance_;
      token_.black = token_.black || black_;
    }
    black_ = has_token_ = false;
    peers_[next_peer()].send(token_);
  }
  /// Of the rank after this one.
  std::size_t next_peer() const { return rank_ + 1 < size_ ? static_cast<std::size_t>(rank_) : 0; }

  int rank_, size_;
  Searcher searcher_;
  std::deque<Peer> peers_;  // in the order of their ranks; a letter under way must not move
  std::uint32_t chance_;
  bool asked_ = false, ended_ = false;
  std::int64_t balance_ = 0;
  bool black_ = false, has_token_ = false, under_way_ = false;
  Letter token_;
};

}  // namespace

Counts search_on_ranks(const comm::Communicator& ranks, const Tree& tree) {
  const ChildRule rule(tree);
  RankSearch search(ranks, tree, rule);
  Counts all = search.run();
  const auto reduced = [&](std::uint64_t count, comm::Reduction reduction) {
    return static_cast<std::uint64_t>(ranks.reduce(static_cast<std::int64_t>(count), reduction));
  };
  all.nodes = reduced(all.nodes, comm::Reduction::sum);
  all.leaves = reduced(all.leaves, comm::Reduction::sum);
  all.depth = reduced(all.depth, comm::Reduction::maximum);
  return all;
}

}  // namespace speedwell::uts
