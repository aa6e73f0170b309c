#!/usr/bin/env bash
# Builds the Debian packages of the committed sources: build-debian.sh FOLDER, in which they are left beside the source package.
# Runs on Debian 12 and later, with what debian/control names in Build-Depends; DEB_BUILD_OPTIONS=parallel=N says how many
# processes it may use.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(sed -n 's/^project(speedwell VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
tree=$folder/speedwell-$version
[ ! -e "$tree" ] || { echo "$tree is there already" >&2; exit 2; }
git -C "$root" archive --prefix="speedwell-$version/" -o "$folder/speedwell_$version.orig.tar.gz" HEAD -- . ':(exclude)tests'  # see debian/copyright
tar -xzf "$folder/speedwell_$version.orig.tar.gz" -C "$folder"
cp -r "$tree/packaging/debian" "$tree/debian"
COMMIT=$(git -C "$root" rev-parse --short=12 HEAD)
export COMMIT
cd "$tree"
dpkg-buildpackage -us -uc
