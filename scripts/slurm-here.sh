#!/bin/sh
# slurm-here.sh start|stop|node-down|node-up|controller-down|controller-up FOLDER: a Slurm of one machine, without systemd and without
# touching one that may be installed. munged, slurmctld and slurmd run from configuration, keys, sockets and logs in FOLDER, which
# should be short (a socket's path has 107 bytes) and is made where it does not exist. Then `export SLURM_CONF=FOLDER/slurm.conf`, and
# sbatch, squeue, scontrol and scancel talk to it. Needs Debian's slurmctld, slurmd, slurm-client and munge.
#
# The partitions: `all`, the default, with 16 places however many processors there are; `urgent`, whose jobs preempt those of `all`,
# which go back into the queue. Time limits are kept at once and looked at every few seconds.
set -eu
PATH=$PATH:/usr/sbin:/sbin
export PATH

usage() {
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
}
[ $# -eq 2 ] || usage
mkdir -p "$2"
folder=$(cd "$2" && pwd -P)
SLURM_CONF=$folder/slurm.conf
export SLURM_CONF

complain() {
    echo "slurm-here: $*" >&2
    exit 1
}

# Two ports that nobody listens on.
free_ports() {
    python3 -c '
import socket
held = [socket.socket() for _ in range(2)]
for s in held:
    s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])'
}

configure() {
    name=$(hostname -s)
    user=$(id -un)
    ports=$(free_ports)
    mkdir -p "$folder/state" "$folder/spool"
    cat >"$folder/slurm.conf" <<END
ClusterName=here
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
KillWait=1
OverTimeLimit=0
InactiveLimit=0
MinJobAge=300
MessageTimeout=60
ReturnToService=2
SlurmdTimeout=300
NodeName=$name NodeAddr=127.0.0.1 CPUs=16 RealMemory=1024 State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=60 DefaultTime=10 PriorityTier=1 State=UP
PartitionName=urgent Nodes=$name MaxTime=60 PriorityTier=10 State=UP
END
}

# Seconds that anything may take, on a machine however busy.
patience=300

# wait_for SECONDS COMMAND…
wait_for() {
    left=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}

node_is_up() { sinfo -h -o %t | grep -q -E '^(idle|mix|alloc|comp)'; }
controller_answers() { scontrol ping | grep -q 'is UP'; }

# The process of a file with its number, if it is still that program.
process_of() {
    number=$(cat "$folder/$1.pid" 2>/dev/null) || return 1
    [ -n "$number" ] && [ "$(cat "/proc/$number/comm" 2>/dev/null)" = "$1" ] && echo "$number"
}

end() {
    number=$(process_of "$1") || return 0
    kill "$number" 2>/dev/null || return 0
    wait_for "$patience" test ! -d "/proc/$number" || kill -9 "$number" 2>/dev/null || true
}

start() {
    for program in munged slurmctld slurmd sbatch; do
        command -v "$program" >/dev/null || complain "there is no $program; install slurmctld, slurmd, slurm-client and munge"
    done
    [ "${#folder}" -le 80 ] || complain "the name of the folder is too long for a socket in it"
    umask 022
    chmod 755 "$folder"

    # Whoever holds the key may submit jobs: it is made here and belongs to this folder.
    dd if=/dev/urandom of="$folder/munge.key" bs=1 count=1024 2>/dev/null
    chmod 600 "$folder/munge.key"
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" --num-threads=2 2>/dev/null || complain "munged does not start"

    configure
    slurmctld -c -f "$SLURM_CONF" || complain "slurmctld does not start; see $folder/slurmctld.log"
    wait_for "$patience" controller_answers || complain "slurmctld does not answer; see $folder/slurmctld.log"
    slurmd -f "$SLURM_CONF" || complain "slurmd does not start; see $folder/slurmd.log"
    wait_for "$patience" node_is_up || complain "the node does not come up; see $folder/slurmd.log"
}

case $1 in
start) start ;;
stop)
    if process_of slurmctld >/dev/null; then scancel -u "$(id -un)" --signal=KILL 2>/dev/null || true; scancel -u "$(id -un)" 2>/dev/null || true; fi
    end slurmd
    end slurmctld
    end munged
    ;;
node-down) end slurmd ;;
node-up) slurmd -f "$SLURM_CONF" && wait_for "$patience" node_is_up ;;
controller-down) end slurmctld ;;
controller-up) slurmctld -f "$SLURM_CONF" && wait_for "$patience" controller_answers ;;
*) usage ;;
esac
