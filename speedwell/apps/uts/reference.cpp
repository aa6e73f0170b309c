#include "speedwell/apps/uts/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace speedwell::uts::reference {
namespace {

std::uint32_t word_at(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}
void put_word(std::uint8_t* bytes, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (24 - 8 * i));
}

void add_block(std::array<std::uint32_t, 5>& h, const std::uint8_t* block) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = word_at(block + 4 * t);
  for (std::size_t t = 16; t < 80; ++t) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  auto [a, b, c, d, e] = h;
  for (std::size_t t = 0; t < 80; ++t) {
    std::uint32_t f = 0, k = 0;
    switch (t / 20) {
      case 0:
        f = (b & c) ^ (~b & d);
        k = 0x5a827999;
        break;
      case 1:
        f = b ^ c ^ d;
        k = 0x6ed9eba1;
        break;
      case 2:
        f = (b & c) ^ (b & d) ^ (c & d);
        k = 0x8f1bbcdc;
        break;
      default:
        f = b ^ c ^ d;
        k = 0xca62c1d6;
    }
    const std::uint32_t next = std::rotl(a, 5) + f + e + k + w[t];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  h = {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
}

double branching(const Tree& t, std::int64_t depth) {
  if (depth == 0) return t.b0;
  const auto i = static_cast<double>(depth), d = static_cast<double>(t.depth);
  if (t.shape == Shape::linear) return std::max(0.0, t.b0 * (1 - i / d));
  if (t.shape == Shape::expdec) return t.b0 * std::pow(i, -std::log(t.b0) / std::log(d));
  if (t.shape == Shape::cyclic) return i > 5 * d ? 0 : std::pow(t.b0, std::sin(2 * 3.141592653589793 * i / d));
  return depth < t.depth ? t.b0 : 0;
}

}  // namespace

Digest sha1(std::span<const std::uint8_t> message) {
  std::array<std::uint32_t, 5> h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::size_t whole = message.size() / 64 * 64;
  for (std::size_t at = 0; at < whole; at += 64) add_block(h, &message[at]);
  std::array<std::uint8_t, 128> end{};  // the rest, a bit of 1, bits of 0, and the length in bits in the last 8 bytes
  const std::size_t rest = message.size() - whole, size = rest < 56 ? 64 : 128;
  std::copy(message.begin() + static_cast<std::ptrdiff_t>(whole), message.end(), end.begin());
  end[rest] = 0x80;
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(message.size());
  put_word(&end[size - 8], static_cast<std::uint32_t>(bits >> 32));
  put_word(&end[size - 4], static_cast<std::uint32_t>(bits));
  for (std::size_t at = 0; at < size; at += 64) add_block(h, &end[at]);
  Digest digest;
  for (std::size_t i = 0; i < 5; ++i) put_word(&digest[4 * i], h[i]);
  return digest;
}

Digest root(std::uint32_t seed) {
  std::array<std::uint8_t, 20> message{};
  put_word(&message[16], seed);
  return sha1(message);
}

Digest child(const Digest& parent, std::uint32_t number) {
  std::array<std::uint8_t, 24> message;
  std::copy(parent.begin(), parent.end(), message.begin());
  put_word(&message[20], number);
  return sha1(message);
}

int children(const Tree& t, std::int64_t depth, const Digest& node) {
  const std::uint32_t value = word_at(&node[16]) & 0x7fffffff;
  const double u = value / 2147483648.0;
  const bool geometric = t.kind == Kind::geometric ||
                         (t.kind == Kind::hybrid && (depth == 0 || static_cast<double>(depth) < t.shift * t.depth));
  if (geometric) {
    const double p = 1 / (1 + branching(t, depth));
    return static_cast<int>(std::min(100.0, std::floor(std::log(1 - u) / std::log(1 - p))));
  }
  if (t.kind == Kind::balanced) return depth < t.depth ? static_cast<int>(t.b0) : 0;
  if (t.kind == Kind::uniform) {
    if (depth == 0) return 4;
    return depth < t.depth ? 1 + static_cast<int>(value >> 29) : 0;
  }
  if (t.kind == Kind::binomial && depth == 0) return static_cast<int>(t.b0);
  return u < t.q ? t.m : 0;
}

Counts search(const Tree& tree) {
  require_valid(tree);
  struct Level {
    Digest node;
    std::uint32_t next, end;
  };
  std::vector<Level> path;  // from the root to where the search is
  Counts counts;
  const auto visit = [&](const Digest& node) {
    const auto depth = path.size();
    ++counts.nodes;
    counts.depth = std::max<std::uint64_t>(counts.depth, depth);
    const int n = children(tree, static_cast<std::int64_t>(depth), node);
    if (n == 0)
      ++counts.leaves;
    else
      path.push_back({node, 0, static_cast<std::uint32_t>(n)});
  };
  visit(root(tree.seed));
  while (!path.empty()) {
    Level& last = path.back();
    if (last.next == last.end)
      path.pop_back();
    else
      visit(child(last.node, last.next++));
  }
  return counts;
}

}  // namespace speedwell::uts::reference
