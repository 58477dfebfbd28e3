// Contract: every response code of RocketMQ 5.3.3 with its Java name, and the negative ones
// that brokers put into the answers they fetched from each other. A code that is not listed
// is no error: it is shown as a number.

package protocol

import "strconv"

// ResponseCode says how a request ended (Java: ResponseCode, RemotingSysResponseCode).
type ResponseCode int32

// The response codes.
const (
	RPCTimeOut                           ResponseCode = -1006
	RPCSendToChannelFailed               ResponseCode = -1004
	RPCAddrIsNull                        ResponseCode = -1002
	RPCUnknown                           ResponseCode = -1000
	Success                              ResponseCode = 0
	SystemError                          ResponseCode = 1 // any failure without a code of its own; also "nobody online" on several admin calls
	SystemBusy                           ResponseCode = 2 // flow control: the remark begins with [OVERLOAD], [REJECTREQUEST] or [PC_SYNCHRONIZED]
	RequestCodeNotSupported              ResponseCode = 3 // the receiver does not serve this code
	TransactionFailed                    ResponseCode = 4
	FlushDiskTimeout                     ResponseCode = 10 // stored; the flush to disk was not confirmed
	SlaveNotAvailable                    ResponseCode = 11 // stored without a slave; elsewhere "not on a slave"
	FlushSlaveTimeout                    ResponseCode = 12 // stored; the flush on the slave was not confirmed
	MessageIllegal                       ResponseCode = 13 // size, topic length or properties over the limit
	ServiceNotAvailable                  ResponseCode = 14 // disk full, store stopped, or a slave
	VersionNotSupported                  ResponseCode = 15
	NoPermission                         ResponseCode = 16 // permission of broker, topic or group; failed authentication
	TopicNotExist                        ResponseCode = 17
	TopicExistAlready                    ResponseCode = 18
	PullNotFound                         ResponseCode = 19 // no message at the offset yet
	PullRetryImmediately                 ResponseCode = 20 // nothing matched: pull again at nextBeginOffset
	PullOffsetMoved                      ResponseCode = 21 // offset out of range, or reset by the broker
	QueryNotFound                        ResponseCode = 22 // nothing stored: offset, key or message
	SubscriptionParseFailed              ResponseCode = 23
	SubscriptionNotExist                 ResponseCode = 24 // group or topic subscription unknown to the broker
	SubscriptionNotLatest                ResponseCode = 25 // the registered subscription is older than the pull
	SubscriptionGroupNotExist            ResponseCode = 26
	FilterDataNotExist                   ResponseCode = 27
	FilterDataNotLatest                  ResponseCode = 28
	InvalidParameter                     ResponseCode = 29
	TransactionShouldCommit              ResponseCode = 200
	TransactionShouldRollback            ResponseCode = 201
	TransactionStateUnknow               ResponseCode = 202
	TransactionStateGroupWrong           ResponseCode = 203
	NoBuyerID                            ResponseCode = 204
	NotInCurrentUnit                     ResponseCode = 205
	ConsumerNotOnline                    ResponseCode = 206 // nobody of the group is online
	ConsumeMsgTimeout                    ResponseCode = 207 // the consumer did not answer the broker in time
	NoMessage                            ResponseCode = 208 // offset to acknowledge is out of range
	PollingFull                          ResponseCode = 209
	PollingTimeout                       ResponseCode = 210
	BrokerNotExist                       ResponseCode = 211
	BrokerDispatchNotComplete            ResponseCode = 212
	BroadcastConsumption                 ResponseCode = 213
	FlowControl                          ResponseCode = 215 // a client pulls again after 20 ms
	NotLeaderForQueue                    ResponseCode = 501
	IllegalOperation                     ResponseCode = 604
	GoAway                               ResponseCode = 1500 // graceful stop: reconnect and send again once
	ControllerFencedMasterEpoch          ResponseCode = 2000
	ControllerFencedSyncStateSetEpoch    ResponseCode = 2001
	ControllerInvalidMaster              ResponseCode = 2002
	ControllerInvalidReplicas            ResponseCode = 2003
	ControllerMasterNotAvailable         ResponseCode = 2004
	ControllerInvalidRequest             ResponseCode = 2005
	ControllerBrokerNotAlive             ResponseCode = 2006
	ControllerNotLeader                  ResponseCode = 2007
	ControllerBrokerMetadataNotExist     ResponseCode = 2008
	ControllerInvalidCleanBrokerMetadata ResponseCode = 2009
	ControllerBrokerNeedToBeRegistered   ResponseCode = 2010
	ControllerMasterStillExist           ResponseCode = 2011
	ControllerElectMasterFailed          ResponseCode = 2012
	ControllerAlterSyncStateSetFailed    ResponseCode = 2013
	ControllerBrokerIDInvalid            ResponseCode = 2014
	ControllerJRaftInternalError         ResponseCode = 2015
	ControllerBrokerLiveInfoNotExists    ResponseCode = 2016
	UserNotExist                         ResponseCode = 3001
	PolicyNotExist                       ResponseCode = 3002
)

// String returns the Java name of the code, or its number when it has none.
func (c ResponseCode) String() string {
	switch c {
	case RPCTimeOut:
		return "RPC_TIME_OUT"
	case RPCSendToChannelFailed:
		return "RPC_SEND_TO_CHANNEL_FAILED"
	case RPCAddrIsNull:
		return "RPC_ADDR_IS_NULL"
	case RPCUnknown:
		return "RPC_UNKNOWN"
	case Success:
		return "SUCCESS"
	case SystemError:
		return "SYSTEM_ERROR"
	case SystemBusy:
		return "SYSTEM_BUSY"
	case RequestCodeNotSupported:
		return "REQUEST_CODE_NOT_SUPPORTED"
	case TransactionFailed:
		return "TRANSACTION_FAILED"
	case FlushDiskTimeout:
		return "FLUSH_DISK_TIMEOUT"
	case SlaveNotAvailable:
		return "SLAVE_NOT_AVAILABLE"
	case FlushSlaveTimeout:
		return "FLUSH_SLAVE_TIMEOUT"
	case MessageIllegal:
		return "MESSAGE_ILLEGAL"
	case ServiceNotAvailable:
		return "SERVICE_NOT_AVAILABLE"
	case VersionNotSupported:
		return "VERSION_NOT_SUPPORTED"
	case NoPermission:
		return "NO_PERMISSION"
	case TopicNotExist:
		return "TOPIC_NOT_EXIST"
	case TopicExistAlready:
		return "TOPIC_EXIST_ALREADY"
	case PullNotFound:
		return "PULL_NOT_FOUND"
	case PullRetryImmediately:
		return "PULL_RETRY_IMMEDIATELY"
	case PullOffsetMoved:
		return "PULL_OFFSET_MOVED"
	case QueryNotFound:
		return "QUERY_NOT_FOUND"
	case SubscriptionParseFailed:
		return "SUBSCRIPTION_PARSE_FAILED"
	case SubscriptionNotExist:
		return "SUBSCRIPTION_NOT_EXIST"
	case SubscriptionNotLatest:
		return "SUBSCRIPTION_NOT_LATEST"
	case SubscriptionGroupNotExist:
		return "SUBSCRIPTION_GROUP_NOT_EXIST"
	case FilterDataNotExist:
		return "FILTER_DATA_NOT_EXIST"
	case FilterDataNotLatest:
		return "FILTER_DATA_NOT_LATEST"
	case InvalidParameter:
		return "INVALID_PARAMETER"
	case TransactionShouldCommit:
		return "TRANSACTION_SHOULD_COMMIT"
	case TransactionShouldRollback:
		return "TRANSACTION_SHOULD_ROLLBACK"
	case TransactionStateUnknow:
		return "TRANSACTION_STATE_UNKNOW"
	case TransactionStateGroupWrong:
		return "TRANSACTION_STATE_GROUP_WRONG"
	case NoBuyerID:
		return "NO_BUYER_ID"
	case NotInCurrentUnit:
		return "NOT_IN_CURRENT_UNIT"
	case ConsumerNotOnline:
		return "CONSUMER_NOT_ONLINE"
	case ConsumeMsgTimeout:
		return "CONSUME_MSG_TIMEOUT"
	case NoMessage:
		return "NO_MESSAGE"
	case PollingFull:
		return "POLLING_FULL"
	case PollingTimeout:
		return "POLLING_TIMEOUT"
	case BrokerNotExist:
		return "BROKER_NOT_EXIST"
	case BrokerDispatchNotComplete:
		return "BROKER_DISPATCH_NOT_COMPLETE"
	case BroadcastConsumption:
		return "BROADCAST_CONSUMPTION"
	case FlowControl:
		return "FLOW_CONTROL"
	case NotLeaderForQueue:
		return "NOT_LEADER_FOR_QUEUE"
	case IllegalOperation:
		return "ILLEGAL_OPERATION"
	case GoAway:
		return "GO_AWAY"
	case ControllerFencedMasterEpoch:
		return "CONTROLLER_FENCED_MASTER_EPOCH"
	case ControllerFencedSyncStateSetEpoch:
		return "CONTROLLER_FENCED_SYNC_STATE_SET_EPOCH"
	case ControllerInvalidMaster:
		return "CONTROLLER_INVALID_MASTER"
	case ControllerInvalidReplicas:
		return "CONTROLLER_INVALID_REPLICAS"
	case ControllerMasterNotAvailable:
		return "CONTROLLER_MASTER_NOT_AVAILABLE"
	case ControllerInvalidRequest:
		return "CONTROLLER_INVALID_REQUEST"
	case ControllerBrokerNotAlive:
		return "CONTROLLER_BROKER_NOT_ALIVE"
	case ControllerNotLeader:
		return "CONTROLLER_NOT_LEADER"
	case ControllerBrokerMetadataNotExist:
		return "CONTROLLER_BROKER_METADATA_NOT_EXIST"
	case ControllerInvalidCleanBrokerMetadata:
		return "CONTROLLER_INVALID_CLEAN_BROKER_METADATA"
	case ControllerBrokerNeedToBeRegistered:
		return "CONTROLLER_BROKER_NEED_TO_BE_REGISTERED"
	case ControllerMasterStillExist:
		return "CONTROLLER_MASTER_STILL_EXIST"
	case ControllerElectMasterFailed:
		return "CONTROLLER_ELECT_MASTER_FAILED"
	case ControllerAlterSyncStateSetFailed:
		return "CONTROLLER_ALTER_SYNC_STATE_SET_FAILED"
	case ControllerBrokerIDInvalid:
		return "CONTROLLER_BROKER_ID_INVALID"
	case ControllerJRaftInternalError:
		return "CONTROLLER_JRAFT_INTERNAL_ERROR"
	case ControllerBrokerLiveInfoNotExists:
		return "CONTROLLER_BROKER_LIVE_INFO_NOT_EXISTS"
	case UserNotExist:
		return "USER_NOT_EXIST"
	case PolicyNotExist:
		return "POLICY_NOT_EXIST"
	}
	return "ResponseCode(" + strconv.Itoa(int(c)) + ")"
}
