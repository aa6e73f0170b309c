// Hashes in the lanes of vectors, for one instruction set; see core/isa.hpp for why there are several.
#include "speedwell/apps/uts/hashing.hpp"
#include "speedwell/apps/uts/sha1.hpp"
#include "speedwell/core/simd/simd.hpp"

namespace speedwell::uts::SPEEDWELL_ISA {
namespace {

namespace simd = core::simd;
using Words = simd::Vector<std::uint32_t>;
constexpr int lanes = simd::width<std::uint32_t>;

void children(Batch& batch, int count) {
  for (int i = 0; i < count; i += lanes) {
    Digest<Words> parent;
    for (int k = 0; k < 5; ++k) parent.h[k] = simd::load(&batch.parent[k][i]);
    const Digest<Words> child = child_digest(parent, simd::load(&batch.number[i]));
    for (int k = 0; k < 5; ++k) simd::store(&batch.child[k][i], child.h[k]);
  }
}

void compress(Blocks& blocks, int count) {
  for (int i = 0; i < count; i += lanes) {
    Digest<Words> chain;
    Words block[16];
    for (int k = 0; k < 5; ++k) chain.h[k] = simd::load(&blocks.chain[k][i]);
    for (int k = 0; k < 16; ++k) block[k] = simd::load(&blocks.block[k][i]);
    chain = compressed(chain, block);
    for (int k = 0; k < 5; ++k) simd::store(&blocks.chain[k][i], chain.h[k]);
  }
}

}  // namespace

Hasher hasher(const char* name) { return {{name, __builtin_strlen(name)}, lanes, children, compress}; }

}  // namespace speedwell::uts::SPEEDWELL_ISA
