#!/bin/sh
# Installs what the compiled program needs, on Debian 12 or Ubuntu 24.04; the packages of its report are those of
# install-packages.sh, which lies beside this file or in tools/.
set -eu
export DEBIAN_FRONTEND=noninteractive
here=$(dirname "$0")
apt-get update -qq
apt-get install -y -qq --no-install-recommends libfmt9 libgomp1 libhdf5-103-1 libhwloc15 libopenblas0-pthread openmpi-bin openssh-client zlib1g
if [ -e "$here/install-packages.sh" ]; then
  "$here/install-packages.sh" report
else
  "$here/../../tools/install-packages.sh" report
fi
rm -rf /var/lib/apt/lists/*
