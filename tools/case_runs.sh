# For scripts that run cases of examples/cases and draw what they write; they source it with their own arguments, [FOLDER] [full|small]
# [PROGRAM], after `default_folder` is set. Sets folder, size and program, or ends the script: status 4 without the program, 2 for another size.
folder=${1:-$default_folder} size=${2:-small} program=${3:-build/release/bin/speedwell}
[ -x "$program" ] || { echo "no program $program: ./run.sh builds it" >&2; exit 4; }
[ "$size" = full ] || [ "$size" = small ] || { echo "'$size': full or small" >&2; exit 2; }
mkdir -p "$folder/cases"

# run_case NAME CASE [SED]: runs a case into a folder NAME, or continues it; with the changes of SED to the case when small.
run_case() {
  local name=$1 case=$2 change=${3:-} file="$folder/cases/$1.toml"
  if [ "$size" = small ]; then sed -e "$change" "examples/cases/$case.toml" > "$file"; else cp "examples/cases/$case.toml" "$file"; fi
  if [ -d "$folder/$name/checkpoints" ]; then
    "$program" solve "$file" --output "$folder/$name" --resume
  else
    "$program" solve "$file" --output "$folder/$name" --force
  fi
}
