// Limits on users' files, which bound the memory independent of counts in the files.
#pragma once

#include <cstddef>

namespace speedwell::io::limits {

/// Residues of one sequence; also the longest line of residues.
inline constexpr std::size_t sequence_residues = 2147483647;  // 2^31 - 1: positions fit an int32
/// Bytes of one FASTA or FASTQ header line. The merged titles of NCBI's nr reach some hundred kilobytes.
inline constexpr std::size_t header_bytes = std::size_t{16} << 20;
/// Records of a file whose sequences have fewer than `short_sequence_residues` residues on average: a record takes some
/// 112 bytes besides its residues, so that as many take 0.9 GiB. Compressed, a megabyte may hold 358 million records
/// without residues; reads of sequencers have 25 residues and more, proteins hundreds, and may be as many as there are.
inline constexpr std::size_t short_sequence_records = std::size_t{1} << 23;
inline constexpr std::size_t short_sequence_residues = 16;
/// Bytes of one substitution matrix file.
inline constexpr std::size_t matrix_bytes = std::size_t{1} << 20;
/// Bytes of one line of a Matrix Market file: comments may be long.
inline constexpr std::size_t matrix_market_line_bytes = std::size_t{1} << 20;
/// Bytes of a case file: three lists of 65536 faces and the times of as many fields are a quarter of it.
inline constexpr std::size_t case_bytes = std::size_t{16} << 20;
/// Keys and tables of a case file or a configuration file: every parameter of every application is a tenth of it. The
/// parser searches the preceding tables for each one, so that 4096 take at most 2^23 comparisons.
inline constexpr std::size_t case_keys = 4096;
/// Parts of a dotted key: each is a nested table, which the parser creates and frees recursively.
inline constexpr std::size_t case_key_depth = 64;
/// Bytes of a checkpoint's manifest: the sums of 6 TB of fields.
inline constexpr std::size_t manifest_bytes = std::size_t{256} << 20;
/// Levels of brackets in a checkpoint's manifest; what is written has 5.
inline constexpr std::size_t manifest_depth = 64;
/// Bytes of user text quoted in one message.
inline constexpr std::size_t quoted_bytes = 120;
/// Bytes read from a file at a time, and decompressed at a time.
#ifdef SPEEDWELL_SMALL_BUFFERS  // of the fuzzers' builds: even short inputs then continue in a second buffer
inline constexpr std::size_t buffer_bytes = 256;
#else
inline constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
#endif

}  // namespace speedwell::io::limits
