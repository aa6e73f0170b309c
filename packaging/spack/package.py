# Spack recipe. Spack's own repositories do not have it: copy this folder into a repository of yours as packages/speedwell, and
# name a checkout with `spack develop --path CHECKOUT speedwell@main` or its address below.
from spack.package import *


class Speedwell(CMakePackage, CudaPackage):
    """HPC codes on one core, all cores, ranks and GPUs: verified, timed, and set against the measured limits of the machine."""

    homepage = "https://example.org/speedwell"
    git = "https://example.org/speedwell.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=True, description="Ranks: mpi and multi variants")
    variant("openmp", default=True, description="Run on all cores")
    variant("hwloc", default=True, description="Read the machine's topology with hwloc instead of /sys")
    variant("blas", default=False, description="OpenBLAS as a peer of matvec")
    variant("fftw", default=False, description="FFTW as a peer of fft (the program is then under the GPL)")
    variant("hdf5", default=True, description="Fields of solve as HDF5 with XDMF")
    variant("python", default=True, description="What report, diff, accept and compare-machines need")
    variant("shared", default=False, description="Build the libraries shared")

    generator("ninja")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build", when="+hwloc")

    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("xxhash@0.8:", type="build")
    depends_on("fmt@9.1:")
    depends_on("zlib-api")

    depends_on("cuda@12:", when="+cuda")
    depends_on("mpi@3:", when="+mpi")
    depends_on("hwloc@2.5:", when="+hwloc")
    depends_on("openblas", when="+blas")
    depends_on("fftw@3.3: precision=float,double", when="+fftw")
    depends_on("hdf5@1.10: ~mpi", when="+hdf5")  # one rank writes

    with when("+python"):
        depends_on("python@3.11:", type="run")
        depends_on("py-pandas@1.5:", type="run")
        depends_on("py-numpy@1.24:", type="run")
        depends_on("py-scipy@1.10:", type="run")
        depends_on("py-matplotlib@3.6:", type="run")
        depends_on("py-jinja2@3.1:", type="run")
        depends_on("py-jsonschema@4.10:", type="run")

    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPUs to compile for, such as cuda_arch=90")
    for arch in ("10", "11", "12", "13", "20", "21", "30", "32", "35", "37", "50", "52", "53", "60", "61", "62", "70", "72", "75"):
        conflicts(f"cuda_arch={arch}", msg="GPUs of compute capability 8.0 and up")

    def cmake_args(self):
        """Every part is stated, so that what a variant asks for and is missing is an error and what it does not ask for is left out."""
        args = [
            self.define_from_variant("SPEEDWELL_CUDA", "cuda"),
            self.define_from_variant("SPEEDWELL_MPI", "mpi"),
            self.define_from_variant("SPEEDWELL_OPENMP", "openmp"),
            self.define_from_variant("SPEEDWELL_HWLOC", "hwloc"),
            self.define_from_variant("SPEEDWELL_BLAS", "blas"),
            self.define_from_variant("SPEEDWELL_FFTW", "fftw"),
            self.define_from_variant("SPEEDWELL_HDF5", "hdf5"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("SPEEDWELL_PARASAIL", False),
            self.define("SPEEDWELL_TESTS", False),
            self.define("SPEEDWELL_EXAMPLES", False),
            self.define("SPEEDWELL_CCACHE", False),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", [f"{arch}-real" for arch in self.spec.variants["cuda_arch"].value]))
        return args

    def test_suite(self):
        """every application at its smallest size: status 0, which is that every verdict passed"""
        speedwell = which(self.prefix.bin.speedwell, required=True)
        speedwell("suite", "--size", "test", "--budget", "10s", "--output", "speedwell-output", "--force")
