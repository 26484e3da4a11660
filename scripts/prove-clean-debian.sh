#!/usr/bin/env bash
# Proves that `make test` and `make run` work on a bare Debian 12 that has only Swift, git and make.
#
# Makes a throw-away root with debootstrap, puts the Swift toolchain from PATH and a clean clone of
# the last commit into it, and runs both there. Needs root, debootstrap, and a network; takes as
# long as a build from nothing. Run by hand, before a release.
#
#   scripts/prove-clean-debian.sh            removes the root afterwards
#   KEEP=1 scripts/prove-clean-debian.sh     keeps it, to look at
#   DEBIAN_MIRROR=URL                        instead of the mirror that this machine uses
#   SKIP_RUN=1                               leaves `make run` out
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "prove-clean-debian: $*" >&2
    exit 1
}

((EUID == 0)) || fail "this needs root, to make a root of its own."
command -v debootstrap >/dev/null || fail "please install debootstrap: apt-get install debootstrap"
swift=$(command -v swift) || fail "there is no swift in PATH."

# The toolchain is the folder above `bin`; one that is spread over /usr cannot be taken alone.
toolchain=$(dirname "$(dirname "$(readlink -f "$swift")")")
[[ $toolchain != /usr ]] || fail "Swift is installed into /usr; put a toolchain of its own in PATH."

# The first Debian mirror in this machine's own sources.
mirror_of_this_machine() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        sed -nE 's#^(URIs:|deb( \[[^]]*\])?) +(https?://[^ ]*/debian/?)( .*)?$#\3#p' | head -n 1 || true
}
mirror=${DEBIAN_MIRROR:-$(mirror_of_this_machine)}
[[ -n $mirror ]] || fail "no Debian mirror in /etc/apt; name one in DEBIAN_MIRROR."

root=$(mktemp --directory --tmpdir clean-debian.XXXXXX)
clean_up() {
    # What is mounted there lives in a mount namespace that has gone with its last process.
    if [[ -n ${KEEP:-} ]]; then
        echo "Kept: $root" >&2
    else
        rm -rf --one-file-system "$root"
    fi
}
trap clean_up EXIT
chmod 755 "$root"

echo "Making a bare Debian 12 in $root from $mirror" >&2
debootstrap --variant=minbase --include=git,make bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; fail "debootstrap failed, see $root.log"; }
rm -f "$root.log"

# How this machine reaches the network is no part of what is proved.
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
    if [[ -e $file ]]; then cp --dereference "$file" "$root$file"; fi
done
grep --files-with-matches --no-messages --ignore-case proxy /etc/apt/apt.conf.d/* |
    xargs --no-run-if-empty cp --target-directory "$root/etc/apt/apt.conf.d" || true
if [[ -d /usr/local/share/ca-certificates ]]; then
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp -R /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
fi
surroundings=(HOME=/root LANG=C.UTF-8 PATH="/toolchain/bin:/usr/sbin:/usr/bin:/sbin:/bin")
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_CERT PIP_INDEX_URL; do
    if [[ -n ${!name:-} ]]; then surroundings+=("$name=${!name}"); fi
done

git clone --quiet --no-hardlinks . "$root/src"
commit=$(git rev-parse HEAD)
git -C "$root/src" checkout --quiet --detach "$commit"
mkdir "$root/toolchain"

cat >"$root/prove" <<'INNER'
set -euo pipefail
cd /src
git config --global --add safe.directory /src
echo "== make test"
time make test
if [[ -n ${SKIP_RUN:-} ]]; then exit 0; fi
echo "== make run"
address=127.0.0.1:8799
make run ADDRESS=$address >/tmp/run.log 2>&1 &
for ((attempt = 0; attempt < 1200; attempt++)); do
    if ! kill -0 %1 2>/dev/null; then break; fi
    # Without a token the server must say so: it is up, and closed.
    status=$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 5 \
        --header 'Content-Type: application/json' --data '{}' "http://$address/mcp" || true)
    if [[ $status == 401 ]]; then
        echo "make run: the server answers at http://$address/mcp, and wants a token."
        exit 0
    fi
    sleep 1
done
cat /tmp/run.log
echo "make run: no server answered." >&2
exit 1
INNER

echo "Running commit $commit there" >&2
export root toolchain
# In namespaces of their own, so that mounts and processes end with this, whatever happens.
unshare --mount --pid --fork --kill-child bash -euo pipefail -c '
    mount --bind "$toolchain" "$root/toolchain"
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount -t tmpfs tmpfs "$root/dev"
    for device in null zero full random urandom tty; do
        touch "$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
    done
    mkdir "$root/dev/shm" "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    ln -s /proc/self/fd/0 "$root/dev/stdin"
    ln -s /proc/self/fd/1 "$root/dev/stdout"
    ln -s /proc/self/fd/2 "$root/dev/stderr"
    exec chroot "$root" env -i "$@" bash /prove
' prove "${surroundings[@]}" ${SKIP_RUN:+SKIP_RUN=1}
echo "Proved: commit $commit passes on a bare Debian 12." >&2
