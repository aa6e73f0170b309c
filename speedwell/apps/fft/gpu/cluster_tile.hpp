// Points that are transformed along two axes in the registers and shared memory of a cluster of blocks, 4096 points and
// 256 threads a block, 16 points a thread. Points are numbered by the bits of an address, of which every axis has some;
// a round says which bits number blocks, threads and registers, transforms digits of an axis that registers number
// (decimation in frequency: a digit's frequencies lie where its points lay, times the roots of the digits below it),
// and between rounds points move to who has them next. In phases, so that a test on the host can run all threads of one
// phase after the other.
//
// A tile is a type with the constants
//   log_blocks, axis_bit[], axis_log[]   blocks of the cluster; where an axis' bits begin, and how many there are
//   rounds, round[]                      of type Round
#pragma once

#include "speedwell/apps/fft/gpu/butterflies.hpp"

namespace speedwell::fft::gpu {

constexpr int tile_threads = 256, tile_points = 4096;  // of a block

/// Bits reg to reg + log - 1 of a register's number are the next digit of an axis, the highest not yet transformed.
struct Digit {
  int axis, log, reg;
};
/// Bit i of a block's, thread's or register's number is this bit of the address.
struct Round {
  int block[3];
  int thread[8];
  int reg[4];
  Digit digit[2];
  int digits;
};

template <class Tile>
struct OnTile {
  static constexpr int blocks = 1 << Tile::log_blocks;
  static constexpr int address_bits = 12 + Tile::log_blocks;

  /// What a thread's points have in common; the rest of a point's address is of_register(e).
  template <int q>
  SPEEDWELL_HD
  static constexpr int of_thread(int thread, int block) {
    int address = 0;
    detail::each<8>([&]<int i>() { address |= bit<i, Tile::round[q].thread[i]>(thread); });
    detail::each<Tile::log_blocks>([&]<int i>() { address |= bit<i, Tile::round[q].block[i]>(block); });
    return address;
  }
  template <int q>
  SPEEDWELL_HD
  static constexpr int of_register(int e) {
    int address = 0;
    detail::each<4>([&]<int i>() { address |= bit<i, Tile::round[q].reg[i]>(e); });
    return address;
  }

  /// Whose a point is in round q, and where it waits for that in the block's shared memory: eight points whose
  /// numbers there differ in three bits that are all different modulo 3 are in banks of 16 bytes of their own.
  template <int q>
  SPEEDWELL_HD
  static constexpr int block_of(int address) {
    int block = 0;
    detail::each<Tile::log_blocks>([&]<int i>() { block |= bit<Tile::round[q].block[i], i>(address); });
    return block;
  }
  template <int q>
  SPEEDWELL_HD
  static constexpr int place(int address) {
    int p = 0;
    detail::each<address_bits>([&]<int b>() {
      if constexpr (constexpr int to = bit_in_block(q, b); to >= 0) p |= bit<b, to>(address);
    });
    return p + (p >> 3) + (p >> 6) + (p >> 9);
  }
  static constexpr int shared_points = tile_points + tile_points / 8 + tile_points / 64 + tile_points / 512;

  /// Whether points change blocks after round q.
  SPEEDWELL_HD
  static constexpr bool leaves_block(int q) {
    for (int i = 0; i < Tile::log_blocks && q + 1 < Tile::rounds; ++i)
      if (Tile::round[q].block[i] != Tile::round[q + 1].block[i]) return true;
    return false;
  }

  /// Index along an axis of a point before the first round, and of a frequency after the last. Of addresses without
  /// common bits these add up.
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

  /// Round q's transforms, and the roots between its digits and those below.
  template <int q, class T>
  SPEEDWELL_HD
  static void transform(Complex<T> (&x)[16], int address, const Complex<T>* table) {
    detail::each<Tile::round[q].digits>([&]<int d>() {
      constexpr Digit digit = Tile::round[q].digit[d];
      constexpr int below = bits_below(q, d);
      detail::each<(16 >> digit.log)>([&]<int o>() { butterfly<digit.log, digit.reg, o>(x); });
      if constexpr (below > 0) {
        const int n = index<digit.axis>(address) & ((1 << below) - 1);
        turn<digit.log, digit.reg>(x, table + table_before(q, d) + n, 1 << below);
      }
    });
  }

  /// Bits of the axis below digit d of round q.
  SPEEDWELL_HD
  static constexpr int bits_below(int q, int d) {
    int left = Tile::axis_log[Tile::round[q].digit[d].axis];
    for (int r = 0; r <= q; ++r)
      for (int i = 0; i < (r == q ? d + 1 : Tile::round[r].digits); ++i)
        if (Tile::round[r].digit[i].axis == Tile::round[q].digit[d].axis) left -= Tile::round[r].digit[i].log;
    return left;
  }
  /// Complex numbers of the table before those of digit d of round q: for every power of two m below the radix R and
  /// every n < s, s being 2 to the bits below, e^{-2 pi i n m / (s R)}.
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

  // An address' bit among those that do not number blocks.
  SPEEDWELL_HD
  static constexpr int bit_in_block(int q, int b) {
    int place = 0;
    for (int a = 0; a < address_bits; ++a) {
      bool numbers_blocks = false;
      for (int i = 0; i < Tile::log_blocks; ++i) numbers_blocks |= Tile::round[q].block[i] == a;
      if (a == b) return numbers_blocks ? -1 : place;
      if (!numbers_blocks) ++place;
    }
    return -1;
  }
  // Digits come out the other way round, each by itself in order.
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
    return b;  // of an axis that is not transformed
  }
  // Register of point k of transform o of those that a thread has.
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
  // Frequency k times w^k, w being table[0], its square table[s] and so on.
  template <int log, int reg, class T>
  SPEEDWELL_HD
  static void turn(Complex<T> (&x)[16], const Complex<T>* table, int s) {
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
