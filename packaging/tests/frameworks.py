"""Stand-ins for Spack, ReFrame and Ramble, as far as the recipes use them."""
import contextlib
import types


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    return made


class Spec:
    """A concrete spec: the variants that are on, and cuda_arch."""

    def __init__(self, on=(), cuda_arch=()):
        self.on = set(on)
        self.variants = {"cuda_arch": types.SimpleNamespace(value=tuple(cuda_arch))}

    def satisfies(self, text):
        assert text[0] == "+", f"the stand-in knows '+variant' alone, not {text}"
        return text[1:] in self.on


class Prefix(str):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Prefix(f"{self}/{name}")


class Spack:
    def __init__(self):
        self.variants, self.dependencies, self.conflicting, self.started, self.condition = {}, [], [], [], ""

    def variant(self, name, default, description):
        self.variants[name] = default

    def depends_on(self, spec, type=("build", "link"), when=""):
        self.dependencies.append((spec, type, when or self.condition))

    def conflicts(self, spec, when="", msg=""):
        self.conflicting.append((spec, when))

    @contextlib.contextmanager
    def when(self, condition):
        self.condition = condition
        yield
        self.condition = ""

    def which(self, path, required):
        def start(*arguments):
            self.started.append((path, *arguments))
        return start

    def package(self):
        class CMakePackage:
            def __init__(self, spec):
                self.spec, self.prefix = spec, Prefix("/prefix")

            def define(self, name, value):
                if isinstance(value, bool):
                    return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
                return f"-D{name}:STRING={';'.join(value)}"

            def define_from_variant(self, name, variant):
                assert variant in directives.variants or variant == "cuda", f"no variant {variant}"
                return self.define(name, self.spec.satisfies(f"+{variant}"))

        class CudaPackage:
            """Brings the variants cuda and cuda_arch."""

        directives = self
        return module("spack.package", CMakePackage=CMakePackage, CudaPackage=CudaPackage, variant=self.variant, depends_on=self.depends_on,
                      conflicts=self.conflicts, when=self.when, which=self.which, version=lambda *a, **k: None,
                      license=lambda *a, **k: None, generator=lambda *a: None)


def reframe():
    """The modules that a check imports. Decorators keep the stage that a function is attached to; deferred values are computed at once."""
    class RunOnlyRegressionTest:
        pass

    def attached(word):
        def at(stage):
            def mark(function):
                function.stage = f"{word} {stage}"
                return function
            return mark
        return at

    def assert_eq(left, right, msg):
        if left != right:
            raise AssertionError(msg)
        return True

    builtins = module("reframe.core.builtins", parameter=list, variable=lambda kind, value: value, run_after=attached("after"),
                      run_before=attached("before"), sanity_function=lambda function: function)
    sanity = module("reframe.utility.sanity", assert_eq=assert_eq, make_performance_function=lambda function, unit: (function(), unit))
    utility = module("reframe.utility", sanity=sanity)
    top = module("reframe", simple_test=lambda check: check, RunOnlyRegressionTest=RunOnlyRegressionTest, utility=utility,
                 core=module("reframe.core", builtins=builtins))
    return {"reframe": top, "reframe.core": top.core, "reframe.core.builtins": builtins, "reframe.utility": utility,
            "reframe.utility.sanity": sanity}


class Ramble:
    def __init__(self):
        self.executables, self.workloads, self.variables, self.figures, self.contexts, self.criteria = {}, {}, {}, {}, {}, {}

    def workload_variable(self, name, default, description, workloads):
        for workload in workloads:
            self.variables[workload, name] = default

    def appkit(self):
        class ExecutableApplication:
            def __init__(self, folder):
                self.expander = types.SimpleNamespace(expand_var=lambda text: text.replace("{experiment_run_dir}", str(folder)))

        def into(table):
            return lambda name, *arguments, **words: table.__setitem__(name, {"arguments": arguments, **words})

        return module("ramble.appkit", ExecutableApplication=ExecutableApplication, executable=into(self.executables),
                      workload=into(self.workloads), workload_variable=self.workload_variable, figure_of_merit=into(self.figures),
                      figure_of_merit_context=into(self.contexts), success_criteria=into(self.criteria), tags=lambda *a: None,
                      software_spec=lambda *a, **k: None, required_package=lambda *a, **k: None)
