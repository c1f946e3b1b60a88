# Sourced by bash or zsh in the checkout of the release that is deployed. Its functions only read, but for `punctual`.
: "${STAGE:?export the name of the stage, such as prod}"
: "${AWS_REGION:?export the region of the stage, such as eu-west-1}"
export STAGE AWS_REGION AWS_DEFAULT_REGION="$AWS_REGION" AWS_PAGER=""

# Read once: names stay known while CloudFormation does not answer.
_OUTPUTS=$(for stack in data service; do
  aws cloudformation describe-stacks --stack-name "punctual-$STAGE-$stack" \
    --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' --output text || exit 1
done) || { echo "no outputs of the stacks punctual-$STAGE-data and punctual-$STAGE-service" >&2; return 1; }

_SOURCES=$(aws lambda list-event-source-mappings --output text \
  --query 'EventSourceMappings[].[UUID,EventSourceArn]') || return 1

# output NAME: an output of the stacks, such as StandardQueueUrl
output() { printf '%s\n' "$_OUTPUTS" | awk -v name="$1" '$1 == name { print $2 }'; }

# punctual COMMAND …: the operators' command line
punctual() { python -m functions.admin --function "$(output ApiFunctionName)" "$@"; }

# live_keys acme [incident]: the IDs of a tenant's keys that are not revoked, or of those with a name
live_keys() { punctual list-keys "$1" | python -c 'import json, sys
for key in json.load(sys.stdin)["keys"]:
    if key["state"] == "live" and sys.argv[1] in ("", key["name"]): print(key["id"])' "${2:-}"; }

# function_name Watcher: the name of a Lambda function
function_name() { output "$1FunctionName"; }

# depth Standard: a lane's visible, running and delayed messages, and those of its dead-letter queue
depth() {
  for queue in "$1" "$1DeadLetter"; do
    printf '%s\t' "$queue"
    aws sqs get-queue-attributes --queue-url "$(output "${queue}QueueUrl")" --output text \
      --attribute-names ApproximateNumberOfMessages ApproximateNumberOfMessagesNotVisible \
      ApproximateNumberOfMessagesDelayed --query 'Attributes.[ApproximateNumberOfMessages,
        ApproximateNumberOfMessagesNotVisible,ApproximateNumberOfMessagesDelayed]'
  done
}

# source_of Standard, source_of StandardDeadLetter: the ID of the event source that reads the queue
source_of() {
  printf '%s\n' "$_SOURCES" | awk -v name=":$(basename "$(output "$1QueueUrl")")" \
    'substr($2, length($2) - length(name) + 1) == name { print $1 }'
}

# rules_of Watcher: the names of the EventBridge rules that invoke the function, a line each
rules_of() {
  aws events list-rule-names-by-target --query 'RuleNames[]' --output text --target-arn "$(
    aws lambda get-alias --function-name "$(function_name "$1")" --name live --query AliasArn --output text
  )" | tr '\t' '\n'
}

# live_version Api: the version that is invoked
live_version() {
  aws lambda get-alias --function-name "$(function_name "$1")" --name live --output text \
    --query FunctionVersion
}

# newest_version Api: the version that was published last
newest_version() {
  aws lambda list-versions-by-function --function-name "$(function_name "$1")" --output text \
    --query "Versions[?Version!='\$LATEST'].[Version]" | sort -n | tail -1
}

# earlier_version Api: the newest version before it that uses the same tables; nothing if there is none
earlier_version() {
  aws lambda list-versions-by-function --function-name "$(function_name "$1")" \
    --query "Versions[?Version!='\$LATEST'].[Version,Description]" --output text | sort -n \
    | awk -v live="$(live_version "$1")" '$1 + 0 <= live + 0 { if ($1 != live) made[$2] = $1; else print made[$2] }'
}

# minutes_ago 15: an instant in UTC
minutes_ago() { python -c 'import sys, time
print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60 * int(sys.argv[1]))))' "$1"; }

# this_hour: the instant in UTC at which it began
this_hour() { date -u +%Y-%m-%dT%H:00:00Z; }

# days_before 9 2026-11-20T03:00:00Z: an earlier instant
days_before() { python -c 'import datetime, sys
instant = datetime.datetime.strptime(sys.argv[2], "%Y-%m-%dT%H:%M:%SZ") - datetime.timedelta(days=int(sys.argv[1]))
print(instant.strftime("%Y-%m-%dT%H:%M:%SZ"))' "$1" "$2"; }

# metric WatcherTick Sum [watcher]: minutes and values of the last half hour, of a function or of the whole stage
metric() {
  aws cloudwatch get-metric-statistics --namespace Punctual --metric-name "$1" --statistics "$2" --period 60 \
    --start-time "$(minutes_ago 30)" --end-time "$(minutes_ago 0)" \
    --dimensions "Name=stage,Value=$STAGE" ${3:+"Name=service,Value=$3"} \
    --query "sort_by(Datapoints, &Timestamp)[].[Timestamp,$2]" --output text
}

# lambda_metric Watcher Throttles [STATISTIC]: the same for Lambda's own metrics of a function
lambda_metric() {
  aws cloudwatch get-metric-statistics --namespace AWS/Lambda --metric-name "$2" --statistics "${3:-Sum}" \
    --period 60 --start-time "$(minutes_ago 30)" --end-time "$(minutes_ago 0)" \
    --dimensions "Name=FunctionName,Value=$(function_name "$1")" \
    --query "sort_by(Datapoints, &Timestamp)[].[Timestamp,${3:-Sum}]" --output text
}

# logs ExecutorStandard 'attempt ended' [MINUTES]: the newest 20 log lines of a function that contain the words
logs() {
  local group now near=0 far=1 longest="${3:-30}" lines="" count
  group=$(aws lambda get-function-configuration --function-name "$(function_name "$1")" \
    --query LoggingConfig.LogGroup --output text) || return 1
  now=$(python -c 'import time; print(int(time.time() * 1000))')
  # The oldest lines come first, so the search begins with the last minute, and goes back in growing steps.
  while :; do
    [ "$far" -lt "$longest" ] || far=$longest
    lines="$(aws logs filter-log-events --log-group-name "$group" --filter-pattern "\"$2\"" \
      --start-time $((now - far * 60000)) --end-time $((now - near * 60000 - 1)) \
      --query 'events[].[message]' --output text)
$lines"
    count=$(printf '%s\n' "$lines" | awk 'NF { n++ } END { print n + 0 }')
    [ "$count" -lt 20 ] && [ "$far" -lt "$longest" ] || break
    near=$far far=$((far * 4))
  done
  printf '%s\n' "$lines" | awk 'NF' | tail -n 20
  [ "$count" -le 20 ] && [ "$far" -eq "$longest" ] || echo "cut: older lines of the $longest minutes are not shown" >&2
}

# alarms: the alarms of the stage that are on, and why
alarms() {
  aws cloudwatch describe-alarms --alarm-name-prefix "punctual-$STAGE-" --state-value ALARM --output text \
    --query 'MetricAlarms[].[AlarmName,StateUpdatedTimestamp,StateReason]'
}

# The address of the laptop's API is in no output.
if [ "$STAGE" != local ] || [ -z "${PUNCTUAL:-}" ]; then
  PUNCTUAL=$(output DomainUrl)
  PUNCTUAL=${PUNCTUAL:-$(output ApiUrl)}
fi
export PUNCTUAL
echo "stage $STAGE in $AWS_REGION, $PUNCTUAL" >&2
