# Sourced by the scripts that build the client's half. zig_tools FOLDER: makes the commands cc, c++, ar and ranlib in
# FOLDER/zig, and sets `zig_lib` to the sources of the libraries of C and C++. The compiler is the PyPI package below, in
# build/zig. Its hash is checked, and it is installed if it is missing. Zig keeps what it compiled of these libraries beside the build.
readonly ziglang=0.17.1
readonly ziglang_hash=ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
zig_tools() {
  local folder=$1 package=$PWD/build/zig/$ziglang tool
  if [ ! -f "$package/complete" ]; then
    rm -rf "$package"
    mkdir -p "$package"
    echo "ziglang==$ziglang --hash=sha256:$ziglang_hash" >"$package/requirements.txt"
    python3 -m pip install -q --disable-pip-version-check --no-deps --no-compile --only-binary :all: --require-hashes \
      --target "$package" -r "$package/requirements.txt" ||
      { echo "ziglang==$ziglang could not be installed from the package registry; try again with a network" >&2; return 1; }
    touch "$package/complete"
  fi
  mkdir -p "$folder/zig"
  for tool in cc c++ ar ranlib; do
    printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR=%q ZIG_LOCAL_CACHE_DIR=%q\nexec %q %s "$@"\n' \
      "$folder/zig/cache" "$folder/zig/cache" "$package/ziglang/zig" "$tool" >"$folder/zig/$tool"
    chmod +x "$folder/zig/$tool"
  done
  zig_lib=$package/ziglang/lib
}
