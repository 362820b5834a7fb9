#!/usr/bin/env bash
# Tries the README's two commands as a new user would: a fresh clone in a bare Debian 12.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'TEXT'
usage: tools/bare_debian.sh [--keep] [--root DIR] [--mirror URL] [--copy DIR] [--command COMMAND ...]

Makes a minimal Debian 12 with debootstrap, clones the checkout's last commit into it, and runs ./demo and ./test there
as root: with /proc, without /sys, with no variable of your environment but HOME and PATH. Prints each command's exit
status and seconds, and ends with 1 if one of them failed. Needs root, debootstrap, git, and 3 GiB of disk.

  --root DIR         make it in DIR, which must be empty or absent, and leave it there (default: a temporary folder)
  --keep             leave the temporary folder there
  --mirror URL       install from this mirror alone (default: the sources of Debian 12 that this machine's apt uses)
  --copy DIR         copy this folder beside the clone
  --command COMMAND  run this instead of the two; may be repeated

  sudo tools/bare_debian.sh --command './test -R examples'
TEXT
}
fail() { echo "bare_debian: $1" >&2; exit 2; }

root='' keep=false mirror='' copied=() commands=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --keep) keep=true; shift; continue ;;
    --root | --mirror | --copy | --command) [ -n "${2:-}" ] || fail "$1 needs a value" ;;
    *) usage >&2; exit 2 ;;
  esac
  case $1 in
    --root) root=$2 keep=true ;;
    --mirror) mirror=$2 ;;
    --copy) copied+=("$2") ;;
    --command) commands+=("$2") ;;
  esac
  shift 2
done
[ ${#commands[@]} -gt 0 ] || commands=(./demo ./test)

[ "$(id -u)" -eq 0 ] || fail "needs root, to make a root folder and to enter it: sudo $0"
command -v debootstrap >/dev/null || fail "needs debootstrap: apt install debootstrap"
[ -z "$root" ] || [ -z "$(ls -A "$root" 2>/dev/null)" ] || fail "$root is not empty"

# Where packages come from: lines of a sources.list, and the mirror that the root itself is made from.
release=bookworm trust='' options=(--variant=minbase)
if [ -n "$mirror" ]; then
  sources="deb $mirror $release main"
else
  if grep -qsiE '^[^#]*trusted *[:=] *yes' /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; then
    trust='[trusted=yes] '
    options+=(--no-check-gpg)
  fi
  # shellcheck disable=SC2016  # for apt to expand
  sources=$(apt-get indextargets --format "deb $trust"'$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    grep -E " https?://[^ ]+ $release(-updates|-security)? " | sort -u) || true
  mirror=$(grep -oE -m 1 "[^ ]+ $release " <<<"$sources" | cut -d ' ' -f 1) || true
  [ -n "$mirror" ] || fail "apt of this machine has no $release from http or https: apt update, or --mirror URL"
fi
[[ $mirror$sources != *https://* ]] || options+=(--include=ca-certificates)
proxy=''
eval "$(apt-config shell proxy Acquire::http::Proxy)"

running=''
# shellcheck disable=SC2317  # the trap calls it
clean() {
  [ -z "$running" ] || kill -KILL -- "-$running" 2>/dev/null || true
  $keep || rm -rf --one-file-system -- "$root"
}
if [ -z "$root" ]; then root=$(mktemp -d -t bare_debian.XXXXXX); else mkdir -p "$root"; fi
root=$(realpath "$root")
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
chmod 755 "$root"
umask 022

# Runs a command whose mounts and processes live in namespaces of their own: both are gone when it is, however it ends.
isolated() {
  local status=0
  set -m
  unshare --mount-proc --pid --fork --kill-child "$@" </dev/null &
  running=$!
  set +m
  wait "$running" || status=$?
  running=''
  return "$status"
}

echo "bare_debian: making $root"
[ -z "$proxy" ] || export http_proxy="$proxy" https_proxy="$proxy"
isolated debootstrap "${options[@]}" "$release" "$root" "$mirror" >"$root/log" ||
  { tail -n 20 "$root/log" >&2; fail "debootstrap failed"; }
rm "$root/log"

# The network as this machine reaches it. No package lists: images for containers have none either.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
[[ ${options[*]} != *ca-certificates* ]] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
echo "$sources" >"$root/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::(https?|Check-[A-Za-z-]+)(::| )' >"$root/etc/apt/apt.conf.d/90host" || true
rm -rf "$root"/var/lib/apt/lists/*

git clone --quiet --no-hardlinks "$checkout" "$root/root/tacit"
[ ${#copied[@]} -eq 0 ] || cp -r -- "${copied[@]}" "$root/root/"
echo "bare_debian: $(git -C "$checkout" log -1 --format='%h %s')"

failed=0 verdicts=()
for command in "${commands[@]}"; do
  echo "bare_debian: $command"
  start=$SECONDS status=0
  # shellcheck disable=SC2016  # for the inner shells
  isolated env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c '
    mount -t proc proc "$0/proc" || exit
    chroot "$0" bash -c "cd ~/tacit && $1"' "$root" "$command" || status=$?
  verdicts+=("$command: exit status $status after $((SECONDS - start)) s")
  [ "$status" -eq 0 ] || failed=1
done
printf 'bare_debian: %s\n' "${verdicts[@]}"
! $keep || echo "bare_debian: left in $root"
exit $failed
