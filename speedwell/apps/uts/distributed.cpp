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

constexpr int steps_between_polls = 32;  // about two thousand nodes

/// A message between two ranks. All messages have the same length, so that a receive can be posted in advance.
struct Message {
  enum Kind : std::int32_t { request, nodes, token, end };
  static constexpr std::size_t max_nodes = 64;
  std::int32_t kind = end, count = 0;  // count: number of nodes, may be 0
  std::int64_t balance = 0;            // of a token: messages with nodes that were sent and not yet received
  std::int64_t black = 0;              // of a token: whether a rank has received nodes since the last round
  Open open[max_nodes];
};

/// The connection to one other rank: at most one message is in flight in each direction, further ones are queued.
class Peer {
 public:
  Peer(const comm::Communicator& ranks, int rank) : ranks_(ranks), rank_(rank) { post_receive(); }

  void send(const Message& message) {
    outgoing_.push_back(message);
    if (outgoing_.size() == 1) start_send_of_first();
  }
  /// Returns a received message or null, and starts the next queued send.
  const Message* poll() {
    if (!outgoing_.empty() && sending_.ended()) {
      outgoing_.pop_front();
      if (!outgoing_.empty()) start_send_of_first();
    }
    if (peer_ended_ || !receiving_.ended()) return nullptr;
    peer_ended_ = incoming_.kind == Message::end;
    return &incoming_;
  }
  /// Posts the receive of the next message, after the last one has been handled.
  void post_receive() {
    if (!peer_ended_) receiving_ = ranks_.start_receive(std::span<Message>(&incoming_, 1), rank_);
  }
  /// Whether all messages have been sent and received.
  bool is_finished() const { return peer_ended_ && outgoing_.empty(); }

 private:
  void start_send_of_first() { sending_ = ranks_.start_send(std::span<const Message>(&outgoing_.front(), 1), rank_); }

  const comm::Communicator& ranks_;
  int rank_;
  std::deque<Message> outgoing_;  // the first is in flight
  Message incoming_;
  comm::Request sending_, receiving_;
  bool peer_ended_ = false;
};

/// The search of one rank. Termination is detected by Safra's algorithm (E. W. Dijkstra, EWD 998): idle ranks pass on a
/// token that sums up the messages with nodes sent minus those received. The round in which no rank has received nodes
/// and the sum is 0 is the last.
class RankSearch {
 public:
  RankSearch(const comm::Communicator& ranks, const Tree& tree, const ChildRule& rule)
      : rank_(ranks.rank()),
        size_(ranks.size()),
        searcher_(rule),
        random_state_(static_cast<std::uint32_t>(rank_) + 1) {
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) peers_.emplace_back(ranks, r);
    }
    if (rank_ == 0) searcher_.begin(tree.seed);
  }

  Counts run() {
    while (!ended_) {
      for (int i = 0; i < steps_between_polls && !searcher_.empty(); ++i) searcher_.step();
      poll();
      if (searcher_.empty() && !ended_) idle();
    }
    for (Peer& peer : peers_) peer.send(Message{});  // the last message: requests are not answered any more
    while (!std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.is_finished(); })) {
      poll();
      std::this_thread::yield();
    }
    return searcher_.counts();
  }

 private:
  void poll() {
    for (std::size_t i = 0; i < peers_.size(); ++i)
      while (const Message* const message = peers_[i].poll()) {
        handle(*message, i);
        peers_[i].post_receive();
      }
  }

  void handle(const Message& message, std::size_t from) {
    switch (message.kind) {
      case Message::request:
        return send_nodes_to(from);
      case Message::nodes:
        has_requested_ = false;
        if (message.count == 0) return;
        searcher_.accept({message.open, static_cast<std::size_t>(message.count)});
        --balance_;
        black_ = true;
        return;
      case Message::token:
        has_token_ = true;
        token_ = message;
        return;
      case Message::end:
        ended_ = true;
    }
  }

  void send_nodes_to(std::size_t to) {
    if (ended_) return;
    Message message;
    message.kind = Message::nodes;
    const std::vector<Open> given = searcher_.give(Message::max_nodes);
    std::copy(given.begin(), given.end(), message.open);
    message.count = static_cast<std::int32_t>(given.size());
    if (message.count > 0) ++balance_;
    peers_[to].send(message);
  }

  void idle() {
    if (size_ == 1) {
      ended_ = true;
      return;
    }
    pass_token();
    if (ended_) return;
    if (!has_requested_) {
      Message message;
      message.kind = Message::request;
      random_state_ = random_state_ * 1664525u + 1013904223u;  // of the rank that is asked for nodes
      peers_[static_cast<std::size_t>((std::uint64_t{random_state_} * peers_.size()) >> 32)].send(message);
      has_requested_ = true;
    }
    std::this_thread::yield();
  }

  void pass_token() {
    if (rank_ == 0) {
      if (token_in_flight_ && !has_token_) return;
      if (token_in_flight_ && !token_.black && !black_ && token_.balance + balance_ == 0) {
        ended_ = true;
        return;
      }
      token_in_flight_ = true;
      token_ = Message{};
      token_.kind = Message::token;
    } else {
      if (!has_token_) return;
      token_.balance += balance_;
      token_.black = token_.black || black_;
    }
    black_ = has_token_ = false;
    peers_[next_peer()].send(token_);
  }
  /// Index of the peer with the next rank.
  std::size_t next_peer() const { return rank_ + 1 < size_ ? static_cast<std::size_t>(rank_) : 0; }

  int rank_, size_;
  Searcher searcher_;
  std::deque<Peer> peers_;  // in the order of their ranks; a deque, because a message in flight must not move
  std::uint32_t random_state_;
  bool has_requested_ = false, ended_ = false;
  std::int64_t balance_ = 0;
  bool black_ = false, has_token_ = false, token_in_flight_ = false;
  Message token_;
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
