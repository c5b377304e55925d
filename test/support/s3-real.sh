#!/bin/bash
# A real S3 server for tests: Ceph's gateway with one monitor and one store in memory, from Debian's packages, unpacked into
# a folder and not installed. Needs no root. First start about ten seconds (66 MB to download), later ones about one.
#
#   s3-real.sh start CACHE RUN    packages are kept in CACHE, everything else in RUN; prints the endpoint on its last line
#   s3-real.sh stop RUN
#
# Access key TESTKEY, secret TESTSECRET. Everything listens on 127.0.0.1, on ports that were free a moment ago.
set -euo pipefail

stop() {
  [ -f "$1/pids" ] || return 0
  tac "$1/pids" | while read -r pid; do kill -9 "$pid" 2>/dev/null || true; done
  rm -f "$1/pids"
}

if [ "$1" = stop ]; then stop "$(realpath -m "$2")"; exit 0; fi
[ "$1" = start ] || { echo "usage: s3-real.sh start CACHE RUN | stop RUN" >&2; exit 64; }
CACHE=$(realpath -m "$2") RUN=$(realpath -m "$3") ROOT=$(realpath -m "$2")/root
LIBS=$ROOT/usr/lib/$(uname -m)-linux-gnu

# Two tests at once must not unpack into one folder.
mkdir -p "$CACHE"
exec 9>"$CACHE/lock"
flock 9
if [ ! -f "$CACHE/complete" ]; then
  rm -rf "$CACHE/debs" "$ROOT"
  mkdir -p "$CACHE/debs" "$ROOT"
  cd "$CACHE/debs"
  names() { apt-get install -s --no-install-recommends radosgw ceph-mon ceph-osd 2>/dev/null | awk '/^Inst/{print $2}'; }
  # What is installed already is not in the list, and works as it is.
  apt-get download $(names) >"$CACHE/download.out" 2>&1 || { echo "radosgw can't be downloaded: $(tail -n 1 "$CACHE/download.out")" >&2; exit 69; }
  for deb in *.deb; do dpkg -x "$deb" "$ROOT"; done
  rm -rf "$CACHE/debs"
  touch "$CACHE/complete"
  cd /
fi
exec 9>&-

export LD_LIBRARY_PATH=$LIBS:$LIBS/ceph:$ROOT/lib/$(uname -m)-linux-gnu PATH=$ROOT/usr/bin:$PATH
export PYTHONPATH=$ROOT/usr/lib/python3/dist-packages
rm -rf "$RUN"; mkdir -p "$RUN"/{mon,osd,rgw}
touch "$RUN/pids"
trap 'stop "$RUN"; tail -n 3 "$RUN"/*.out >&2 2>/dev/null || true' ERR
uuid() { cat /proc/sys/kernel/random/uuid; }
CLUSTER=$(uuid) OSD=$(uuid)
read -r V2 V1 WEB < <("${NODE:-node}" -e '
  const { createServer } = require("node:net");
  const servers = [0, 1, 2].map(() => createServer().listen(0, "127.0.0.1"));
  Promise.all(servers.map((server) => new Promise((resolve) => server.on("listening", resolve)))).then(() => {
    console.log(servers.map((server) => server.address().port).join(" "));
    for (const server of servers) server.close();
  });')

cat >"$RUN/ceph.conf" <<CONF
[global]
fsid = $CLUSTER
mon host = [v2:127.0.0.1:$V2,v1:127.0.0.1:$V1]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
mon allow pool size one = true
mon max pg per osd = 5000
osd crush chooseleaf type = 0
osd pool default pg autoscale mode = off
paxos propose interval = 0.02
run dir = $RUN
admin socket = $RUN/\$name.asok
log file = $RUN/\$name.log
keyring = $RUN/keyring
plugin dir = $LIBS/ceph
erasure code dir = $LIBS/ceph/erasure-code
osd class dir = $LIBS/rados-classes
[mon.a]
mon data = $RUN/mon
[osd.0]
osd data = $RUN/osd
osd objectstore = memstore
memstore device bytes = 2147483648
[client]
rgw data = $RUN/rgw
rgw frontends = beast endpoint=127.0.0.1:$WEB tcp_nodelay=1
rgw dynamic resharding = false
CONF
CONF="-c $RUN/ceph.conf"
export CEPH_CONF=$RUN/ceph.conf
background() { "$@" & echo $! >>"$RUN/pids"; }

ceph-authtool --create-keyring "$RUN/keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
ceph-authtool "$RUN/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' >/dev/null
monmaptool --create --addv a "[v2:127.0.0.1:$V2,v1:127.0.0.1:$V1]" --fsid "$CLUSTER" "$RUN/monmap" >/dev/null
ceph-mon $CONF -i a --mkfs --monmap "$RUN/monmap" --keyring "$RUN/keyring" >"$RUN/mkfs.out" 2>&1
background ceph-mon $CONF -i a -f >"$RUN/mon.out" 2>&1
ceph $CONF --connect-timeout 10 osd new "$OSD" 0 >/dev/null
ceph-osd $CONF -i 0 --mkfs --osd-uuid "$OSD" >>"$RUN/mkfs.out" 2>&1
background ceph-osd $CONF -i 0 -f >"$RUN/osd.out" 2>&1
# The user is made before the gateway starts: it would look at an empty list for five seconds.
radosgw-admin $CONF user create --uid=test --display-name=test --access-key=TESTKEY --secret-key=TESTSECRET >"$RUN/user.out" 2>&1
background radosgw $CONF -n client.admin -f >"$RUN/rgw.out" 2>&1
for _ in $(seq 200); do
  if curl -s -o /dev/null "http://127.0.0.1:$WEB/"; then echo "http://127.0.0.1:$WEB"; exit 0; fi
  sleep 0.05
done
echo "radosgw does not answer" >&2
exit 1
