#!/bin/sh
# Apache RocketMQ's name server, broker and Java clients, for tests and for trying things out.
# README.md says what each command does. Needs a JDK 17 or newer; Maven only for resolve.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

usage() {
  cat <<'TEXT'
usage: run.sh COMMAND
  dir                                   print the folder the jars and classes belong in
  resolve [--offline]                   fetch the jars once, check their sums, compile
  up [FOLDER]                           name server and broker in the foreground until Ctrl-C
  namesrv FOLDER PORT                   one name server in the foreground
  broker FOLDER PORT NAMESRV [K=V ...]  one broker in the foreground; K=V are broker.conf lines
  admin NAMESRV SUBCOMMAND [ARG ...]    one mqadmin command
  produce ARG ...                       send messages (see Produce.java)
  consume ARG ...                       one member of a consumer group (see Consume.java)
  poll ARG ...                          one that is asked for messages (see Poll.java)
TEXT
}

die() {
  echo "run.sh: $1" >&2
  exit 1
}

# The folder's name follows from what it is built of, so an old one is never taken for a new one.
key=$(export LC_ALL=C && cd "$here" && cat pom.xml jars.sha256 src/main/java/mqscope/apache/*.java | cksum | cut -d' ' -f1)
dir=${MQSCOPE_APACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/mqscope}/apache-5.3.3-$key

sums() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

resolve() {
  if [ -d "$dir" ]; then return; fi
  command -v mvn >/dev/null 2>&1 || die "Maven is not on the PATH: install Maven 3.8 or newer"
  mkdir -p "$(dirname "$dir")"
  new=$(mktemp -d "$dir.new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  offline=
  if [ "${1:-}" = --offline ]; then offline=--offline; fi
  mvn $offline --quiet --batch-mode --no-transfer-progress --file "$here/pom.xml" -Dout="$new/target" \
    -DoutputDirectory="$new/lib" -DincludeScope=runtime \
    resources:resources compiler:compile dependency:copy-dependencies >&2 ||
    die "Maven could not fetch or compile: is the network there?"
  if [ -n "${MQSCOPE_APACHE_WRITE_SUMS:-}" ]; then
    (export LC_ALL=C && cd "$new/lib" && sums ./*.jar) >"$here/jars.sha256"
    die "jars.sha256 is written: run resolve again without MQSCOPE_APACHE_WRITE_SUMS"
  fi
  (export LC_ALL=C && cd "$new/lib" && sums ./*.jar) | cmp -s - "$here/jars.sha256" ||
    die "the jars are not those of jars.sha256: another version, or changed on the way"
  mv "$new/target/classes" "$new/classes"
  rm -rf "$new/target"
  # Two at once make the same thing; whoever comes second keeps the first one's.
  mv "$new" "$dir" 2>/dev/null || [ -d "$dir" ]
}

# jvm LOGFILE OPTION... MAIN ARG...: becomes a JVM whose files all lie in the folder of LOGFILE.
jvm() {
  [ -d "$dir" ] || die "not resolved yet: run '$here/run.sh resolve' first"
  log=$1
  shift
  home=$(dirname "$log")
  if [ -n "${MQSCOPE_APACHE_TETHER:-}" ]; then set -- -Dmqscope.tether=true "$@"; fi
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:+UseSerialGC -XX:-UsePerfData \
    --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED \
    --add-opens=java.base/java.nio=ALL-UNNAMED \
    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
    -Dfile.encoding=UTF-8 -Drmq.logback.configurationFile="$here/logback.xml" -Dmqscope.log="$log" \
    -Dmqscope.log.level="${MQSCOPE_APACHE_LOG:-WARN}" \
    -Dlog4j2.disable.jmx=true -Duser.home="$home" -Drocketmq.home.dir="$home" \
    -Drocketmq.client.logUseSlf4j=false -Drocketmq.client.localOffsetStoreDir="$home/offsets" \
    -cp "$dir/classes:$dir/lib/*" "$@"
}

namesrv() {
  mkdir -p "$1/namesrv"
  printf 'listenPort=%s\nkvConfigPath=%s\nconfigStorePath=%s\n' \
    "$2" "$1/namesrv/kvConfig.json" "$1/namesrv/namesrv.properties" >"$1/namesrv/namesrv.conf"
  jvm "$1/namesrv/namesrv.log" -Xms64m -Xmx128m mqscope.apache.Server namesrv -c "$1/namesrv/namesrv.conf"
}

# The broker keeps its file between restarts: it also writes to it when an admin changes a setting.
broker() {
  folder=$1/broker port=$2 names=$3
  shift 3
  mkdir -p "$folder"
  if [ ! -f "$folder/broker.conf" ]; then
    {
      cat "$here/broker.conf"
      printf 'listenPort=%s\nnamesrvAddr=%s\nstorePathRootDir=%s\nstorePathCommitLog=%s\n' \
        "$port" "$names" "$folder/store" "$folder/store/commitlog"
      for line in "$@"; do printf '%s\n' "$line"; done
    } >"$folder/broker.conf"
  fi
  # A disk that others have filled is no reason to refuse messages here.
  jvm "$folder/broker.log" -Xms256m -Xmx384m -XX:MaxDirectMemorySize=384m \
    -Drocketmq.broker.diskSpaceWarningLevelRatio=0.99 -Drocketmq.broker.diskSpaceCleanForciblyRatio=0.98 \
    mqscope.apache.Server broker -c "$folder/broker.conf"
}

# client COMMAND JVM-ARG...: a short-lived program; its log goes to a folder that is gone with it, or
# to MQSCOPE_APACHE_FOLDER.
client() {
  folder=${MQSCOPE_APACHE_FOLDER:-${TMPDIR:-/tmp}/mqscope-apache-clients}
  mkdir -p "$folder"
  name=$1
  shift
  jvm "$folder/$name.log" -Xms32m -Xmx256m -XX:TieredStopAtLevel=1 "$@"
}

up() {
  folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/mqscope-apache.XXXXXX")}
  mkdir -p "$folder"
  folder=$(CDPATH='' cd -- "$folder" && pwd)
  echo "folder $folder"
  echo "name server 127.0.0.1:${NAMESRV_PORT:-9876}, broker 127.0.0.1:${BROKER_PORT:-10911}; Ctrl-C ends both"
  sh "$here/run.sh" namesrv "$folder" "${NAMESRV_PORT:-9876}" >"$folder/namesrv.out" 2>&1 &
  names=$!
  sh "$here/run.sh" broker "$folder" "${BROKER_PORT:-10911}" "127.0.0.1:${NAMESRV_PORT:-9876}" >"$folder/broker.out" 2>&1 &
  brokers=$!
  trap 'kill "$brokers" 2>/dev/null; wait "$brokers" || :; kill "$names" 2>/dev/null; wait "$names" || :; exit 0' INT TERM
  wait "$brokers" || :
  kill "$names" 2>/dev/null || :
  die "the broker ended; see $folder/broker.out and $folder/broker/broker.log"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  dir) echo "$dir" ;;
  resolve) resolve "$@" && echo "$dir" ;;
  up) resolve && up "$@" ;;
  namesrv) namesrv "$@" ;;
  broker) broker "$@" ;;
  admin)
    names=$1
    shift
    client admin -Drocketmq.namesrv.addr="$names" org.apache.rocketmq.tools.command.MQAdminStartup "$@"
    ;;
  produce) client produce mqscope.apache.Produce "$@" ;;
  consume) client consume mqscope.apache.Consume "$@" ;;
  poll) client poll mqscope.apache.Poll "$@" ;;
  *)
    usage >&2
    exit 2
    ;;
esac
