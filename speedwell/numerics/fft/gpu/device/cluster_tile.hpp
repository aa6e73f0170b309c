// Transforms along two axes in the registers and shared memory of a thread block cluster: 4096 points and 256 threads
// per block, 16 points per thread. Points are numbered by the bits of an address; every axis owns some of these bits. A
// round assigns address bits to blocks, threads and registers, and transforms the digits of an axis whose bits are in
// registers (decimation in frequency: the frequencies of a digit replace its points, multiplied by the roots of the
// lower digits). Between rounds points move to their next owners. The code is split into phases so that a test on the
// host can run all threads of a phase one after the other.
//
// A tile is a type with these constants:
// log_blocks, axis_bit[], axis_log[]   log2 of the cluster's blocks; first bit and number of bits of every axis
// rounds, round[]                      the rounds, of type Round
#pragma once

#include "speedwell/numerics/fft/gpu/device/butterflies.hpp"

namespace speedwell::fft::gpu {

constexpr int tile_threads = 256, tile_points = 4096;  // per block

/// Bits reg to reg + log - 1 of a register's number are the next digit of an axis, the highest not yet transformed.
struct Digit {
  int axis, log, reg;
};
/// Entry i is the address bit that is bit i of the number of a block, thread or register.
struct Round {
  int block[3];
  int thread[8];
  int reg[4];
  Digit digit[2];
  int digits;
};

template <class Tile>
struct TileMap {
  static constexpr int blocks = 1 << Tile::log_blocks;
  static constexpr int address_bits = 12 + Tile::log_blocks;

  /// The common address bits of a thread's points; register_address(e) has the others.
  template <int q>
  SPEEDWELL_HD
  static constexpr int thread_address(int thread, int block) {
    int address = 0;
    detail::each<8>([&]<int i>() { address |= bit<i, Tile::round[q].thread[i]>(thread); });
    detail::each<Tile::log_blocks>([&]<int i>() { address |= bit<i, Tile::round[q].block[i]>(block); });
    return address;
  }
  template <int q>
  SPEEDWELL_HD
  static constexpr int register_address(int e) {
    int address = 0;
    detail::each<4>([&]<int i>() { address |= bit<i, Tile::round[q].reg[i]>(e); });
    return address;
  }

  /// The block that owns a point in round q, and the point's index in the shared memory of that block. Eight points
  /// whose indices differ in three bits that are distinct modulo 3 are in different banks of 16 bytes.
  template <int q>
  SPEEDWELL_HD
  static constexpr int owner_block(int address) {
    int block = 0;
    detail::each<Tile::log_blocks>([&]<int i>() { block |= bit<Tile::round[q].block[i], i>(address); });
    return block;
  }
  template <int q>
  SPEEDWELL_HD
  static constexpr int shared_index(int address) {
    int p = 0;
    detail::each<address_bits>([&]<int b>() {
      if constexpr (constexpr int to = bit_in_block(q, b); to >= 0) p |= bit<b, to>(address);
    });
    return p + (p >> 3) + (p >> 6) + (p >> 9);
  }
  static constexpr int shared_points = tile_points + tile_points / 8 + tile_points / 64 + tile_points / 512;

  /// Whether points move between blocks after round q.
  SPEEDWELL_HD
  static constexpr bool crosses_blocks(int q) {
    for (int i = 0; i < Tile::log_blocks && q + 1 < Tile::rounds; ++i)
      if (Tile::round[q].block[i] != Tile::round[q + 1].block[i]) return true;
    return false;
  }

  /// Index of a point along an axis before the first round, and of a frequency after the last. Both are additive over
  /// addresses without common bits.
  template <int axis>
  SPEEDWELL_HD
  static constexpr int index(int address) {
    constexpr int first = Tile::axis_bit[axis], mask = (1 << Tile::axis_log[axis]) - 1;
    return (address >> first) & mask;
  }
  template <int axis>
  SPEEDWELL_HD
  static constexpr int frequency(int address) {
    int k = 0;
    detail::each<Tile::axis_log[axis]>(
        [&]<int b>() { k |= bit<Tile::axis_bit[axis] + b, frequency_bit(axis, b)>(address); });
    return k;
  }

  /// The transforms of round q, and the twiddles between its digits and the lower ones.
  template <int q, class T>
  SPEEDWELL_HD
  static void transform(Complex<T> (&x)[16], int address, const Complex<T>* table) {
    detail::each<Tile::round[q].digits>([&]<int d>() {
      constexpr Digit digit = Tile::round[q].digit[d];
      constexpr int below = bits_below(q, d);
      detail::each<(16 >> digit.log)>([&]<int o>() { butterfly<digit.log, digit.reg, o>(x); });
      if constexpr (below > 0) {
        const int n = index<digit.axis>(address) & ((1 << below) - 1);
        apply_twiddles<digit.log, digit.reg>(x, table + table_before(q, d) + n, 1 << below);
      }
    });
  }

  /// The number of bits of the axis below digit d of round q.
  SPEEDWELL_HD
  static constexpr int bits_below(int q, int d) {
    int left = Tile::axis_log[Tile::round[q].digit[d].axis];
    for (int r = 0; r <= q; ++r)
      for (int i = 0; i < (r == q ? d + 1 : Tile::round[r].digits); ++i)
        if (Tile::round[r].digit[i].axis == Tile::round[q].digit[d].axis) left -= Tile::round[r].digit[i].log;
    return left;
  }
  /// Offset in the table of the twiddles of digit d of round q: e^{-2 pi i n m / (s R)} for every power of two m below
  /// the radix R and every n < s, where s is 2 to the power of bits_below.
  SPEEDWELL_HD
  static constexpr int table_before(int q, int d) {
    int size = 0;
    for (int r = 0; r <= q; ++r)
      for (int i = 0; i < (r == q ? d : Tile::round[r].digits); ++i)
        if (bits_below(r, i) > 0) size += Tile::round[r].digit[i].log << bits_below(r, i);
    return size;
  }

 private:
  template <int from, int to>
  SPEEDWELL_HD
  static constexpr int bit(int value) { return ((value >> from) & 1) << to; }

  // The index of an address bit among those that are not block bits, or -1.
  SPEEDWELL_HD
  static constexpr int bit_in_block(int q, int b) {
    int bit_index = 0;
    for (int a = 0; a < address_bits; ++a) {
      bool numbers_blocks = false;
      for (int i = 0; i < Tile::log_blocks; ++i) numbers_blocks |= Tile::round[q].block[i] == a;
      if (a == b) return numbers_blocks ? -1 : bit_index;
      if (!numbers_blocks) ++bit_index;
    }
    return -1;
  }
  // The order of the digits is reversed in the result; the bits within a digit keep theirs.
  SPEEDWELL_HD
  static constexpr int frequency_bit(int axis, int b) {
    int before = 0, top = Tile::axis_log[axis];
    for (int q = 0; q < Tile::rounds; ++q)
      for (int d = 0; d < Tile::round[q].digits; ++d) {
        if (Tile::round[q].digit[d].axis != axis) continue;
        const int log = Tile::round[q].digit[d].log;
        if (b >= top - log) return before + b - (top - log);
        top -= log, before += log;
      }
    return b;  // an axis that is not transformed
  }
  // The register of point k of a thread's o-th transform.
  SPEEDWELL_HD
  static constexpr int register_of(int log, int reg, int o, int k) {
    return (o & ((1 << reg) - 1)) | k << reg | (o >> reg) << (reg + log);
  }
  template <int log, int reg, int o, class T>
  SPEEDWELL_HD
  static void butterfly(Complex<T> (&x)[16]) {
    Complex<T> y[1 << log];
    detail::each<(1 << log)>([&]<int k>() { y[k] = x[register_of(log, reg, o, k)]; });
    Butterfly<1 << log>::apply(y);
    detail::each<(1 << log)>([&]<int k>() { x[register_of(log, reg, o, k)] = y[k]; });
  }
  // Multiplies frequency k by w^k, where w is table[0], w^2 is table[s] and so on.
  template <int log, int reg, class T>
  SPEEDWELL_HD
  static void apply_twiddles(Complex<T> (&x)[16], const Complex<T>* table, int s) {
    Complex<T> w[1 << log];
    detail::each<log>([&]<int m>() {
      w[1 << m] = table[m * s];
      for (int j = 1; j < 1 << m; ++j) w[(1 << m) + j] = w[1 << m] * w[j];
    });
    detail::each<(16 >> log)>([&]<int o>() {
      detail::each<(1 << log) - 1>([&]<int k>() {
        Complex<T>& z = x[register_of(log, reg, o, k + 1)];
        z = z * w[k + 1];
      });
    });
  }
};

}  // namespace speedwell::fft::gpu
