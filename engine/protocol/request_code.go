// Contract: every request code of RocketMQ 5.3.3 with its Java name. A code that is not
// listed is no error: it travels as a number and is shown as one. The list is a table, so
// this file is longer than others.

package protocol

import "strconv"

// RequestCode says what a request asks for. Codes above 32767 (the POP family) can not
// travel in a binary header, which cuts them to 16 bits (Java: RequestCode).
type RequestCode int32

// The request codes.
const (
	SendMessage                          RequestCode = 10
	PullMessage                          RequestCode = 11
	QueryMessage                         RequestCode = 12
	QueryBrokerOffset                    RequestCode = 13
	QueryConsumerOffset                  RequestCode = 14
	UpdateConsumerOffset                 RequestCode = 15
	UpdateAndCreateTopic                 RequestCode = 17
	UpdateAndCreateTopicList             RequestCode = 18
	GetAllTopicConfig                    RequestCode = 21
	GetTopicConfigList                   RequestCode = 22
	GetTopicNameList                     RequestCode = 23
	UpdateBrokerConfig                   RequestCode = 25
	GetBrokerConfig                      RequestCode = 26
	TriggerDeleteFiles                   RequestCode = 27
	GetBrokerRuntimeInfo                 RequestCode = 28
	SearchOffsetByTimestamp              RequestCode = 29
	GetMaxOffset                         RequestCode = 30
	GetMinOffset                         RequestCode = 31
	GetEarliestMsgStoreTime              RequestCode = 32
	ViewMessageByID                      RequestCode = 33
	HeartBeat                            RequestCode = 34
	UnregisterClient                     RequestCode = 35
	ConsumerSendMsgBack                  RequestCode = 36
	EndTransaction                       RequestCode = 37
	GetConsumerListByGroup               RequestCode = 38
	CheckTransactionState                RequestCode = 39
	NotifyConsumerIDsChanged             RequestCode = 40
	LockBatchMQ                          RequestCode = 41
	UnlockBatchMQ                        RequestCode = 42
	GetAllConsumerOffset                 RequestCode = 43
	GetAllDelayOffset                    RequestCode = 45
	CheckClientConfig                    RequestCode = 46
	GetClientConfig                      RequestCode = 47
	GetTimerCheckPoint                   RequestCode = 60
	GetTimerMetrics                      RequestCode = 61
	PutKVConfig                          RequestCode = 100
	GetKVConfig                          RequestCode = 101
	DeleteKVConfig                       RequestCode = 102
	RegisterBroker                       RequestCode = 103
	UnregisterBroker                     RequestCode = 104
	GetRouteInfoByTopic                  RequestCode = 105
	GetBrokerClusterInfo                 RequestCode = 106
	UpdateAndCreateSubscriptionGroup     RequestCode = 200
	GetAllSubscriptionGroupConfig        RequestCode = 201
	GetTopicStatsInfo                    RequestCode = 202
	GetConsumerConnectionList            RequestCode = 203
	GetProducerConnectionList            RequestCode = 204
	WipeWritePermOfBroker                RequestCode = 205
	GetAllTopicListFromNameserver        RequestCode = 206
	DeleteSubscriptionGroup              RequestCode = 207
	GetConsumeStats                      RequestCode = 208
	SuspendConsumer                      RequestCode = 209
	ResumeConsumer                       RequestCode = 210
	ResetConsumerOffsetInConsumer        RequestCode = 211
	ResetConsumerOffsetInBroker          RequestCode = 212
	AdjustConsumerThreadPool             RequestCode = 213
	WhoConsumeTheMessage                 RequestCode = 214
	DeleteTopicInBroker                  RequestCode = 215
	DeleteTopicInNamesrv                 RequestCode = 216
	RegisterTopicInNamesrv               RequestCode = 217
	GetKVListByNamespace                 RequestCode = 219
	ResetConsumerClientOffset            RequestCode = 220
	GetConsumerStatusFromClient          RequestCode = 221
	InvokeBrokerToResetOffset            RequestCode = 222
	InvokeBrokerToGetConsumerStatus      RequestCode = 223
	GetTopicsByCluster                   RequestCode = 224
	UpdateAndCreateSubscriptionGroupList RequestCode = 225
	QueryTopicConsumeByWho               RequestCode = 300
	RegisterFilterServer                 RequestCode = 301
	RegisterMessageFilterClass           RequestCode = 302
	QueryConsumeTimeSpan                 RequestCode = 303
	GetSystemTopicListFromNS             RequestCode = 304
	GetSystemTopicListFromBroker         RequestCode = 305
	CleanExpiredConsumeQueue             RequestCode = 306
	GetConsumerRunningInfo               RequestCode = 307
	QueryCorrectionOffset                RequestCode = 308
	ConsumeMessageDirectly               RequestCode = 309
	SendMessageV2                        RequestCode = 310
	GetUnitTopicList                     RequestCode = 311
	GetHasUnitSubTopicList               RequestCode = 312
	GetHasUnitSubUnunitTopicList         RequestCode = 313
	CloneGroupOffset                     RequestCode = 314
	ViewBrokerStatsData                  RequestCode = 315
	CleanUnusedTopic                     RequestCode = 316
	GetBrokerConsumeStats                RequestCode = 317
	UpdateNamesrvConfig                  RequestCode = 318
	GetNamesrvConfig                     RequestCode = 319
	SendBatchMessage                     RequestCode = 320
	QueryConsumeQueue                    RequestCode = 321
	QueryDataVersion                     RequestCode = 322
	ResumeCheckHalfMessage               RequestCode = 323
	SendReplyMessage                     RequestCode = 324
	SendReplyMessageV2                   RequestCode = 325
	PushReplyMessageToClient             RequestCode = 326
	AddWritePermOfBroker                 RequestCode = 327
	GetAllProducerInfo                   RequestCode = 328
	DeleteExpiredCommitLog               RequestCode = 329
	QueryTopicsByConsumer                RequestCode = 343
	QuerySubscriptionByConsumer          RequestCode = 345
	GetTopicConfig                       RequestCode = 351
	GetSubscriptionGroupConfig           RequestCode = 352
	UpdateAndGetGroupForbidden           RequestCode = 353
	CheckRocksDBCQWriteProgress          RequestCode = 354
	ExportRocksDBConfigToJSON            RequestCode = 355
	LitePullMessage                      RequestCode = 361
	RecallMessage                        RequestCode = 370
	QueryAssignment                      RequestCode = 400
	SetMessageRequestMode                RequestCode = 401
	GetAllMessageRequestMode             RequestCode = 402
	UpdateAndCreateStaticTopic           RequestCode = 513
	GetBrokerMemberGroup                 RequestCode = 901
	AddBroker                            RequestCode = 902
	RemoveBroker                         RequestCode = 903
	BrokerHeartbeat                      RequestCode = 904
	NotifyMinBrokerIDChange              RequestCode = 905
	ExchangeBrokerHAInfo                 RequestCode = 906
	GetBrokerHAStatus                    RequestCode = 907
	ResetMasterFlushOffset               RequestCode = 908
	ControllerAlterSyncStateSet          RequestCode = 1001
	ControllerElectMaster                RequestCode = 1002
	ControllerRegisterBroker             RequestCode = 1003
	ControllerGetReplicaInfo             RequestCode = 1004
	ControllerGetMetadataInfo            RequestCode = 1005
	ControllerGetSyncStateData           RequestCode = 1006
	GetBrokerEpochCache                  RequestCode = 1007
	NotifyBrokerRoleChanged              RequestCode = 1008
	UpdateControllerConfig               RequestCode = 1009
	GetControllerConfig                  RequestCode = 1010
	CleanBrokerData                      RequestCode = 1011
	ControllerGetNextBrokerID            RequestCode = 1012
	ControllerApplyBrokerID              RequestCode = 1013
	BrokerCloseChannelRequest            RequestCode = 1014
	CheckNotActiveBrokerRequest          RequestCode = 1015
	GetBrokerLiveInfoRequest             RequestCode = 1016
	GetSyncStateDataRequest              RequestCode = 1017
	RaftBrokerHeartBeatEventRequest      RequestCode = 1018
	UpdateColdDataFlowControlConfig      RequestCode = 2001
	RemoveColdDataFlowControlConfig      RequestCode = 2002
	GetColdDataFlowControlInfo           RequestCode = 2003
	SetCommitLogReadMode                 RequestCode = 2004
	AuthCreateUser                       RequestCode = 3001
	AuthUpdateUser                       RequestCode = 3002
	AuthDeleteUser                       RequestCode = 3003
	AuthGetUser                          RequestCode = 3004
	AuthListUser                         RequestCode = 3005
	AuthCreateACL                        RequestCode = 3006
	AuthUpdateACL                        RequestCode = 3007
	AuthDeleteACL                        RequestCode = 3008
	AuthGetACL                           RequestCode = 3009
	AuthListACL                          RequestCode = 3010
	PopMessage                           RequestCode = 200050
	AckMessage                           RequestCode = 200051
	PeekMessage                          RequestCode = 200052
	ChangeMessageInvisibleTime           RequestCode = 200053
	Notification                         RequestCode = 200054
	PollingInfo                          RequestCode = 200055
	PopRollback                          RequestCode = 200056
	BatchAckMessage                      RequestCode = 200151
)

// String returns the Java name of the code, or its number when it has none.
func (c RequestCode) String() string {
	switch c {
	case SendMessage:
		return "SEND_MESSAGE"
	case PullMessage:
		return "PULL_MESSAGE"
	case QueryMessage:
		return "QUERY_MESSAGE"
	case QueryBrokerOffset:
		return "QUERY_BROKER_OFFSET"
	case QueryConsumerOffset:
		return "QUERY_CONSUMER_OFFSET"
	case UpdateConsumerOffset:
		return "UPDATE_CONSUMER_OFFSET"
	case UpdateAndCreateTopic:
		return "UPDATE_AND_CREATE_TOPIC"
	case UpdateAndCreateTopicList:
		return "UPDATE_AND_CREATE_TOPIC_LIST"
	case GetAllTopicConfig:
		return "GET_ALL_TOPIC_CONFIG"
	case GetTopicConfigList:
		return "GET_TOPIC_CONFIG_LIST"
	case GetTopicNameList:
		return "GET_TOPIC_NAME_LIST"
	case UpdateBrokerConfig:
		return "UPDATE_BROKER_CONFIG"
	case GetBrokerConfig:
		return "GET_BROKER_CONFIG"
	case TriggerDeleteFiles:
		return "TRIGGER_DELETE_FILES"
	case GetBrokerRuntimeInfo:
		return "GET_BROKER_RUNTIME_INFO"
	case SearchOffsetByTimestamp:
		return "SEARCH_OFFSET_BY_TIMESTAMP"
	case GetMaxOffset:
		return "GET_MAX_OFFSET"
	case GetMinOffset:
		return "GET_MIN_OFFSET"
	case GetEarliestMsgStoreTime:
		return "GET_EARLIEST_MSG_STORETIME"
	case ViewMessageByID:
		return "VIEW_MESSAGE_BY_ID"
	case HeartBeat:
		return "HEART_BEAT"
	case UnregisterClient:
		return "UNREGISTER_CLIENT"
	case ConsumerSendMsgBack:
		return "CONSUMER_SEND_MSG_BACK"
	case EndTransaction:
		return "END_TRANSACTION"
	case GetConsumerListByGroup:
		return "GET_CONSUMER_LIST_BY_GROUP"
	case CheckTransactionState:
		return "CHECK_TRANSACTION_STATE"
	case NotifyConsumerIDsChanged:
		return "NOTIFY_CONSUMER_IDS_CHANGED"
	case LockBatchMQ:
		return "LOCK_BATCH_MQ"
	case UnlockBatchMQ:
		return "UNLOCK_BATCH_MQ"
	case GetAllConsumerOffset:
		return "GET_ALL_CONSUMER_OFFSET"
	case GetAllDelayOffset:
		return "GET_ALL_DELAY_OFFSET"
	case CheckClientConfig:
		return "CHECK_CLIENT_CONFIG"
	case GetClientConfig:
		return "GET_CLIENT_CONFIG"
	case GetTimerCheckPoint:
		return "GET_TIMER_CHECK_POINT"
	case GetTimerMetrics:
		return "GET_TIMER_METRICS"
	case PutKVConfig:
		return "PUT_KV_CONFIG"
	case GetKVConfig:
		return "GET_KV_CONFIG"
	case DeleteKVConfig:
		return "DELETE_KV_CONFIG"
	case RegisterBroker:
		return "REGISTER_BROKER"
	case UnregisterBroker:
		return "UNREGISTER_BROKER"
	case GetRouteInfoByTopic:
		return "GET_ROUTEINFO_BY_TOPIC"
	case GetBrokerClusterInfo:
		return "GET_BROKER_CLUSTER_INFO"
	case UpdateAndCreateSubscriptionGroup:
		return "UPDATE_AND_CREATE_SUBSCRIPTIONGROUP"
	case GetAllSubscriptionGroupConfig:
		return "GET_ALL_SUBSCRIPTIONGROUP_CONFIG"
	case GetTopicStatsInfo:
		return "GET_TOPIC_STATS_INFO"
	case GetConsumerConnectionList:
		return "GET_CONSUMER_CONNECTION_LIST"
	case GetProducerConnectionList:
		return "GET_PRODUCER_CONNECTION_LIST"
	case WipeWritePermOfBroker:
		return "WIPE_WRITE_PERM_OF_BROKER"
	case GetAllTopicListFromNameserver:
		return "GET_ALL_TOPIC_LIST_FROM_NAMESERVER"
	case DeleteSubscriptionGroup:
		return "DELETE_SUBSCRIPTIONGROUP"
	case GetConsumeStats:
		return "GET_CONSUME_STATS"
	case SuspendConsumer:
		return "SUSPEND_CONSUMER"
	case ResumeConsumer:
		return "RESUME_CONSUMER"
	case ResetConsumerOffsetInConsumer:
		return "RESET_CONSUMER_OFFSET_IN_CONSUMER"
	case ResetConsumerOffsetInBroker:
		return "RESET_CONSUMER_OFFSET_IN_BROKER"
	case AdjustConsumerThreadPool:
		return "ADJUST_CONSUMER_THREAD_POOL"
	case WhoConsumeTheMessage:
		return "WHO_CONSUME_THE_MESSAGE"
	case DeleteTopicInBroker:
		return "DELETE_TOPIC_IN_BROKER"
	case DeleteTopicInNamesrv:
		return "DELETE_TOPIC_IN_NAMESRV"
	case RegisterTopicInNamesrv:
		return "REGISTER_TOPIC_IN_NAMESRV"
	case GetKVListByNamespace:
		return "GET_KVLIST_BY_NAMESPACE"
	case ResetConsumerClientOffset:
		return "RESET_CONSUMER_CLIENT_OFFSET"
	case GetConsumerStatusFromClient:
		return "GET_CONSUMER_STATUS_FROM_CLIENT"
	case InvokeBrokerToResetOffset:
		return "INVOKE_BROKER_TO_RESET_OFFSET"
	case InvokeBrokerToGetConsumerStatus:
		return "INVOKE_BROKER_TO_GET_CONSUMER_STATUS"
	case GetTopicsByCluster:
		return "GET_TOPICS_BY_CLUSTER"
	case UpdateAndCreateSubscriptionGroupList:
		return "UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST"
	case QueryTopicConsumeByWho:
		return "QUERY_TOPIC_CONSUME_BY_WHO"
	case RegisterFilterServer:
		return "REGISTER_FILTER_SERVER"
	case RegisterMessageFilterClass:
		return "REGISTER_MESSAGE_FILTER_CLASS"
	case QueryConsumeTimeSpan:
		return "QUERY_CONSUME_TIME_SPAN"
	case GetSystemTopicListFromNS:
		return "GET_SYSTEM_TOPIC_LIST_FROM_NS"
	case GetSystemTopicListFromBroker:
		return "GET_SYSTEM_TOPIC_LIST_FROM_BROKER"
	case CleanExpiredConsumeQueue:
		return "CLEAN_EXPIRED_CONSUMEQUEUE"
	case GetConsumerRunningInfo:
		return "GET_CONSUMER_RUNNING_INFO"
	case QueryCorrectionOffset:
		return "QUERY_CORRECTION_OFFSET"
	case ConsumeMessageDirectly:
		return "CONSUME_MESSAGE_DIRECTLY"
	case SendMessageV2:
		return "SEND_MESSAGE_V2"
	case GetUnitTopicList:
		return "GET_UNIT_TOPIC_LIST"
	case GetHasUnitSubTopicList:
		return "GET_HAS_UNIT_SUB_TOPIC_LIST"
	case GetHasUnitSubUnunitTopicList:
		return "GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST"
	case CloneGroupOffset:
		return "CLONE_GROUP_OFFSET"
	case ViewBrokerStatsData:
		return "VIEW_BROKER_STATS_DATA"
	case CleanUnusedTopic:
		return "CLEAN_UNUSED_TOPIC"
	case GetBrokerConsumeStats:
		return "GET_BROKER_CONSUME_STATS"
	case UpdateNamesrvConfig:
		return "UPDATE_NAMESRV_CONFIG"
	case GetNamesrvConfig:
		return "GET_NAMESRV_CONFIG"
	case SendBatchMessage:
		return "SEND_BATCH_MESSAGE"
	case QueryConsumeQueue:
		return "QUERY_CONSUME_QUEUE"
	case QueryDataVersion:
		return "QUERY_DATA_VERSION"
	case ResumeCheckHalfMessage:
		return "RESUME_CHECK_HALF_MESSAGE"
	case SendReplyMessage:
		return "SEND_REPLY_MESSAGE"
	case SendReplyMessageV2:
		return "SEND_REPLY_MESSAGE_V2"
	case PushReplyMessageToClient:
		return "PUSH_REPLY_MESSAGE_TO_CLIENT"
	case AddWritePermOfBroker:
		return "ADD_WRITE_PERM_OF_BROKER"
	case GetAllProducerInfo:
		return "GET_ALL_PRODUCER_INFO"
	case DeleteExpiredCommitLog:
		return "DELETE_EXPIRED_COMMITLOG"
	case QueryTopicsByConsumer:
		return "QUERY_TOPICS_BY_CONSUMER"
	case QuerySubscriptionByConsumer:
		return "QUERY_SUBSCRIPTION_BY_CONSUMER"
	case GetTopicConfig:
		return "GET_TOPIC_CONFIG"
	case GetSubscriptionGroupConfig:
		return "GET_SUBSCRIPTIONGROUP_CONFIG"
	case UpdateAndGetGroupForbidden:
		return "UPDATE_AND_GET_GROUP_FORBIDDEN"
	case CheckRocksDBCQWriteProgress:
		return "CHECK_ROCKSDB_CQ_WRITE_PROGRESS"
	case ExportRocksDBConfigToJSON:
		return "EXPORT_ROCKSDB_CONFIG_TO_JSON"
	case LitePullMessage:
		return "LITE_PULL_MESSAGE"
	case RecallMessage:
		return "RECALL_MESSAGE"
	case QueryAssignment:
		return "QUERY_ASSIGNMENT"
	case SetMessageRequestMode:
		return "SET_MESSAGE_REQUEST_MODE"
	case GetAllMessageRequestMode:
		return "GET_ALL_MESSAGE_REQUEST_MODE"
	case UpdateAndCreateStaticTopic:
		return "UPDATE_AND_CREATE_STATIC_TOPIC"
	case GetBrokerMemberGroup:
		return "GET_BROKER_MEMBER_GROUP"
	case AddBroker:
		return "ADD_BROKER"
	case RemoveBroker:
		return "REMOVE_BROKER"
	case BrokerHeartbeat:
		return "BROKER_HEARTBEAT"
	case NotifyMinBrokerIDChange:
		return "NOTIFY_MIN_BROKER_ID_CHANGE"
	case ExchangeBrokerHAInfo:
		return "EXCHANGE_BROKER_HA_INFO"
	case GetBrokerHAStatus:
		return "GET_BROKER_HA_STATUS"
	case ResetMasterFlushOffset:
		return "RESET_MASTER_FLUSH_OFFSET"
	case ControllerAlterSyncStateSet:
		return "CONTROLLER_ALTER_SYNC_STATE_SET"
	case ControllerElectMaster:
		return "CONTROLLER_ELECT_MASTER"
	case ControllerRegisterBroker:
		return "CONTROLLER_REGISTER_BROKER"
	case ControllerGetReplicaInfo:
		return "CONTROLLER_GET_REPLICA_INFO"
	case ControllerGetMetadataInfo:
		return "CONTROLLER_GET_METADATA_INFO"
	case ControllerGetSyncStateData:
		return "CONTROLLER_GET_SYNC_STATE_DATA"
	case GetBrokerEpochCache:
		return "GET_BROKER_EPOCH_CACHE"
	case NotifyBrokerRoleChanged:
		return "NOTIFY_BROKER_ROLE_CHANGED"
	case UpdateControllerConfig:
		return "UPDATE_CONTROLLER_CONFIG"
	case GetControllerConfig:
		return "GET_CONTROLLER_CONFIG"
	case CleanBrokerData:
		return "CLEAN_BROKER_DATA"
	case ControllerGetNextBrokerID:
		return "CONTROLLER_GET_NEXT_BROKER_ID"
	case ControllerApplyBrokerID:
		return "CONTROLLER_APPLY_BROKER_ID"
	case BrokerCloseChannelRequest:
		return "BROKER_CLOSE_CHANNEL_REQUEST"
	case CheckNotActiveBrokerRequest:
		return "CHECK_NOT_ACTIVE_BROKER_REQUEST"
	case GetBrokerLiveInfoRequest:
		return "GET_BROKER_LIVE_INFO_REQUEST"
	case GetSyncStateDataRequest:
		return "GET_SYNC_STATE_DATA_REQUEST"
	case RaftBrokerHeartBeatEventRequest:
		return "RAFT_BROKER_HEART_BEAT_EVENT_REQUEST"
	case UpdateColdDataFlowControlConfig:
		return "UPDATE_COLD_DATA_FLOW_CTR_CONFIG"
	case RemoveColdDataFlowControlConfig:
		return "REMOVE_COLD_DATA_FLOW_CTR_CONFIG"
	case GetColdDataFlowControlInfo:
		return "GET_COLD_DATA_FLOW_CTR_INFO"
	case SetCommitLogReadMode:
		return "SET_COMMITLOG_READ_MODE"
	case AuthCreateUser:
		return "AUTH_CREATE_USER"
	case AuthUpdateUser:
		return "AUTH_UPDATE_USER"
	case AuthDeleteUser:
		return "AUTH_DELETE_USER"
	case AuthGetUser:
		return "AUTH_GET_USER"
	case AuthListUser:
		return "AUTH_LIST_USER"
	case AuthCreateACL:
		return "AUTH_CREATE_ACL"
	case AuthUpdateACL:
		return "AUTH_UPDATE_ACL"
	case AuthDeleteACL:
		return "AUTH_DELETE_ACL"
	case AuthGetACL:
		return "AUTH_GET_ACL"
	case AuthListACL:
		return "AUTH_LIST_ACL"
	case PopMessage:
		return "POP_MESSAGE"
	case AckMessage:
		return "ACK_MESSAGE"
	case PeekMessage:
		return "PEEK_MESSAGE"
	case ChangeMessageInvisibleTime:
		return "CHANGE_MESSAGE_INVISIBLETIME"
	case Notification:
		return "NOTIFICATION"
	case PollingInfo:
		return "POLLING_INFO"
	case PopRollback:
		return "POP_ROLLBACK"
	case BatchAckMessage:
		return "BATCH_ACK_MESSAGE"
	}
	return "RequestCode(" + strconv.Itoa(int(c)) + ")"
}
