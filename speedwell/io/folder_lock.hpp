// FolderLock: exclusive write access of one process to a folder.
#pragma once

#include <string>

namespace speedwell::io {

/// Holds FOLDER/run.lock, a file with the number of this process and the name of its host, under an exclusive flock.
/// The system releases the lock when the process ends for any reason, and the next process reuses the file.
class FolderLock {
 public:
  static constexpr const char* file_name = "run.lock";

  /// `folder` must exist. Throws OutputError output.locked, which names the process that holds the lock, and
  /// output.open if the file cannot be created.
  explicit FolderLock(const std::string& folder);
  /// Removes the file.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// False on a file system without flock, where other processes are not excluded.
  bool held() const { return held_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace speedwell::io
