// Contract: which header belongs to which code, for readers of frames they did not ask for:
// recordings, captures, the view of a wire. Requests whose fields are all in the body, or that
// have none, have no header. The two lists are a table, so this file is longer than others.

package protocol

// NewRequestHeader returns an empty header for requests of a code, nil when they have none.
func NewRequestHeader(code RequestCode) Header {
	switch code {
	case SendMessage, SendReplyMessage:
		return new(SendMessageRequest)
	case PullMessage, LitePullMessage:
		return new(PullMessageRequest)
	case QueryMessage:
		return new(QueryMessageRequest)
	case QueryConsumerOffset:
		return new(QueryConsumerOffsetRequest)
	case UpdateConsumerOffset:
		return new(UpdateConsumerOffsetRequest)
	case UpdateAndCreateTopic:
		return new(CreateTopicRequest)
	case UpdateAndCreateTopicList:
		return new(CreateTopicListRequest)
	case GetAllTopicConfig:
		return new(GetAllTopicConfigRequest)
	case SearchOffsetByTimestamp:
		return new(SearchOffsetRequest)
	case GetMaxOffset:
		return new(GetMaxOffsetRequest)
	case GetMinOffset:
		return new(GetMinOffsetRequest)
	case GetEarliestMsgStoreTime:
		return new(GetEarliestMsgStoreTimeRequest)
	case ViewMessageByID:
		return new(ViewMessageRequest)
	case HeartBeat:
		return new(HeartbeatRequest)
	case UnregisterClient:
		return new(UnregisterClientRequest)
	case ConsumerSendMsgBack:
		return new(ConsumerSendMsgBackRequest)
	case EndTransaction:
		return new(EndTransactionRequest)
	case GetConsumerListByGroup:
		return new(GetConsumerListByGroupRequest)
	case CheckTransactionState:
		return new(CheckTransactionStateRequest)
	case NotifyConsumerIDsChanged:
		return new(NotifyConsumerIDsChangedRequest)
	case LockBatchMQ:
		return new(LockBatchMQRequest)
	case UnlockBatchMQ:
		return new(UnlockBatchMQRequest)
	case PutKVConfig:
		return new(PutKVConfigRequest)
	case GetKVConfig:
		return new(GetKVConfigRequest)
	case DeleteKVConfig:
		return new(DeleteKVConfigRequest)
	case RegisterBroker:
		return new(RegisterBrokerRequest)
	case UnregisterBroker:
		return new(UnregisterBrokerRequest)
	case GetRouteInfoByTopic:
		return new(GetRouteInfoRequest)
	case GetAllSubscriptionGroupConfig:
		return new(GetAllSubscriptionGroupConfigRequest)
	case GetTopicStatsInfo:
		return new(GetTopicStatsInfoRequest)
	case GetConsumerConnectionList:
		return new(GetConsumerConnectionListRequest)
	case GetProducerConnectionList:
		return new(GetProducerConnectionListRequest)
	case WipeWritePermOfBroker:
		return new(WipeWritePermRequest)
	case DeleteSubscriptionGroup:
		return new(DeleteSubscriptionGroupRequest)
	case GetConsumeStats:
		return new(GetConsumeStatsRequest)
	case DeleteTopicInBroker:
		return new(DeleteTopicRequest)
	case DeleteTopicInNamesrv:
		return new(DeleteTopicFromNamesrvRequest)
	case RegisterTopicInNamesrv:
		return new(RegisterTopicRequest)
	case GetKVListByNamespace:
		return new(GetKVListByNamespaceRequest)
	case ResetConsumerClientOffset, InvokeBrokerToResetOffset:
		return new(ResetOffsetRequest)
	case GetConsumerStatusFromClient, InvokeBrokerToGetConsumerStatus:
		return new(GetConsumerStatusRequest)
	case GetTopicsByCluster:
		return new(GetTopicsByClusterRequest)
	case QueryTopicConsumeByWho:
		return new(QueryTopicConsumeByWhoRequest)
	case QueryConsumeTimeSpan:
		return new(QueryConsumeTimeSpanRequest)
	case GetConsumerRunningInfo:
		return new(GetConsumerRunningInfoRequest)
	case QueryCorrectionOffset:
		return new(QueryCorrectionOffsetRequest)
	case ConsumeMessageDirectly:
		return new(ConsumeMessageDirectlyRequest)
	case SendMessageV2, SendBatchMessage, SendReplyMessageV2:
		return new(SendMessageRequestV2)
	case CloneGroupOffset:
		return new(CloneGroupOffsetRequest)
	case ViewBrokerStatsData:
		return new(ViewBrokerStatsDataRequest)
	case GetBrokerConsumeStats:
		return new(GetBrokerConsumeStatsRequest)
	case QueryConsumeQueue:
		return new(QueryConsumeQueueRequest)
	case QueryDataVersion:
		return new(QueryDataVersionRequest)
	case ResumeCheckHalfMessage:
		return new(ResumeCheckHalfMessageRequest)
	case PushReplyMessageToClient:
		return new(ReplyMessageRequest)
	case AddWritePermOfBroker:
		return new(AddWritePermRequest)
	case GetAllProducerInfo:
		return new(GetAllProducerInfoRequest)
	case QueryTopicsByConsumer:
		return new(QueryTopicsByConsumerRequest)
	case QuerySubscriptionByConsumer:
		return new(QuerySubscriptionByConsumerRequest)
	case GetTopicConfig:
		return new(GetTopicConfigRequest)
	case GetSubscriptionGroupConfig:
		return new(GetSubscriptionGroupConfigRequest)
	case UpdateAndGetGroupForbidden:
		return new(UpdateGroupForbiddenRequest)
	case CheckRocksDBCQWriteProgress:
		return new(CheckRocksDBCQWriteProgressRequest)
	case ExportRocksDBConfigToJSON:
		return new(ExportRocksDBConfigToJSONRequest)
	case RecallMessage:
		return new(RecallMessageRequest)
	case GetBrokerMemberGroup:
		return new(GetBrokerMemberGroupRequest)
	case AddBroker:
		return new(AddBrokerRequest)
	case RemoveBroker:
		return new(RemoveBrokerRequest)
	case BrokerHeartbeat:
		return new(BrokerHeartbeatRequest)
	case NotifyMinBrokerIDChange:
		return new(NotifyMinBrokerIDChangeRequest)
	case ExchangeBrokerHAInfo:
		return new(ExchangeHAInfoRequest)
	case ResetMasterFlushOffset:
		return new(ResetMasterFlushOffsetRequest)
	case NotifyBrokerRoleChanged:
		return new(NotifyBrokerRoleChangedRequest)
	case AuthCreateUser, AuthUpdateUser, AuthDeleteUser, AuthGetUser:
		return new(UserRequest)
	case AuthListUser:
		return new(ListUsersRequest)
	case AuthCreateACL, AuthUpdateACL, AuthGetACL:
		return new(AclRequest)
	case AuthDeleteACL:
		return new(DeleteAclRequest)
	case AuthListACL:
		return new(ListAclsRequest)
	case PopMessage:
		return new(PopMessageRequest)
	case AckMessage:
		return new(AckMessageRequest)
	case PeekMessage:
		return new(PeekMessageRequest)
	case ChangeMessageInvisibleTime:
		return new(ChangeInvisibleTimeRequest)
	case Notification:
		return new(NotificationRequest)
	case PollingInfo:
		return new(PollingInfoRequest)
	}
	return nil
}

// NewResponseHeader returns an empty header for the answers to requests of a code, nil when
// they have none. Answers other than Success may lack its fields.
func NewResponseHeader(code RequestCode) Header {
	switch code {
	case PullMessage, LitePullMessage:
		return new(PullMessageResponse)
	case SendMessage, SendMessageV2, SendBatchMessage, SendReplyMessage, SendReplyMessageV2:
		return new(SendMessageResponse)
	case QueryConsumerOffset, SearchOffsetByTimestamp, GetMaxOffset, GetMinOffset:
		return new(OffsetResponse)
	case GetEarliestMsgStoreTime:
		return new(GetEarliestMsgStoreTimeResponse)
	case HeartBeat:
		return new(HeartbeatResponse)
	case QueryMessage:
		return new(QueryMessageResponse)
	case GetAllTopicConfig:
		return new(GetAllTopicConfigResponse)
	case GetAllSubscriptionGroupConfig:
		return new(GetAllSubscriptionGroupConfigResponse)
	case RegisterBroker:
		return new(RegisterBrokerResponse)
	case QueryDataVersion:
		return new(QueryDataVersionResponse)
	case ExchangeBrokerHAInfo:
		return new(ExchangeHAInfoResponse)
	case GetKVConfig:
		return new(GetKVConfigResponse)
	case WipeWritePermOfBroker:
		return new(WipeWritePermResponse)
	case AddWritePermOfBroker:
		return new(AddWritePermResponse)
	case GetBrokerConfig:
		return new(GetBrokerConfigResponse)
	case RecallMessage:
		return new(RecallMessageResponse)
	case PopMessage, PeekMessage:
		return new(PopMessageResponse)
	case ChangeMessageInvisibleTime:
		return new(ChangeInvisibleTimeResponse)
	case Notification:
		return new(NotificationResponse)
	case PollingInfo:
		return new(PollingInfoResponse)
	}
	return nil
}
