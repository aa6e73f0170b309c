// A folder that one process at a time writes into.
#pragma once

#include <string>

namespace speedwell::io {

/// Holds FOLDER/run.lock, a file with the number of this process and the name of its host, under an exclusive flock.
/// The system drops the lock with the process, however that ends, and the next one takes the file over.
class FolderLock {
 public:
  static constexpr const char* file_name = "run.lock";

  /// `folder` must exist. Throws OutputError output.locked, which names the process that has the lock, and output.open
  /// where the file cannot be made.
  explicit FolderLock(const std::string& folder);
  /// Removes the file.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// False on a file system without flock: nobody is kept out.
  bool held() const { return held_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace speedwell::io
