#include <fmt/format.h>

#include <vector>

#include "speedwell/core/closest_match.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/session/completion.hpp"

namespace speedwell::session {
namespace {

// Each hands the words before the cursor to `speedwell completion --words`, and offers files where that offers nothing.
// bash takes "=" for the end of a word: it replaces only what follows.
constexpr const char* bash_script =
    R"(# speedwell completion bash: source it, or put it into ~/.local/share/bash-completion/completions/speedwell
_speedwell() {
  local IFS=$' \t\n' word
  local -a words
  read -ra words <<< "${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
  word=${words[-1]}
  mapfile -t COMPREPLY < <("${words[0]}" completion --words -- "${words[@]:1}" 2>/dev/null)
  [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*=}"}"}")
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}
complete -o default -o nosort -F _speedwell speedwell
)";

constexpr const char* zsh_script = R"(#compdef speedwell
# speedwell completion zsh: put it into a folder of $fpath as _speedwell, or source it after compinit
_speedwell() {
  local -a found
  found=("${(@f)$("${words[1]}" completion --words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(${found:#})
  if (( ! $#found )); then
    _files
  elif [[ $found[1] == *= ]]; then
    compadd -S '' -a found
  else
    compadd -a found
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _speedwell "$@"
else
  compdef _speedwell speedwell
fi
)";

constexpr const char* fish_script =
    R"(# speedwell completion fish: put it into ~/.config/fish/completions/speedwell.fish
function __speedwell_words
  set -l words (commandline -opc)
  $words[1] completion --words -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c speedwell -n 'count (__speedwell_words) >/dev/null' -f -a '(__speedwell_words)'
complete -c speedwell -n 'not count (__speedwell_words) >/dev/null' -F
)";

struct Script {
  const char *shell, *text;
};
constexpr Script scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Script& s : scripts) all.emplace_back(s.shell);
  return all;
}

}  // namespace

std::string shells() {
  const std::vector<std::string> all = names();
  return fmt::format("{} or {}", fmt::join(all.begin(), all.end() - 1, ", "), all.back());
}

std::string completion_script(const std::string& shell) {
  for (const Script& s : scripts)
    if (s.shell == shell) return s.text;
  throw process::UsageError(core::unknown_name("shell", shell, names()), "");
}

}  // namespace speedwell::session
