package embedded

import "mqscope/engine/protocol"

// brokerHandlers lists what a broker serves.
func brokerHandlers() map[int32]func(*Broker, *Request) {
	return byCode(map[protocol.RequestCode]func(*Broker, *Request){
		protocol.SendMessage:             (*Broker).send,
		protocol.SendMessageV2:           (*Broker).send,
		protocol.SendBatchMessage:        (*Broker).send,
		protocol.PullMessage:             (*Broker).pull,
		protocol.LitePullMessage:         (*Broker).pull,
		protocol.QueryConsumerOffset:     (*Broker).queryOffset,
		protocol.UpdateConsumerOffset:    (*Broker).updateOffset,
		protocol.SearchOffsetByTimestamp: (*Broker).searchOffset,
		protocol.GetMaxOffset:            (*Broker).maxOffset,
		protocol.GetMinOffset:            (*Broker).minOffset,
		protocol.GetEarliestMsgStoreTime: (*Broker).earliestStoreTime,
		protocol.HeartBeat:               (*Broker).heartbeat,
		protocol.UnregisterClient:        (*Broker).unregister,
		protocol.CheckClientConfig:       (*Broker).checkClientConfig,
		protocol.GetConsumerListByGroup:  (*Broker).consumerList,
		protocol.ConsumerSendMsgBack:     (*Broker).sendBack,
		protocol.LockBatchMQ:             (*Broker).lockBatch,
		protocol.UnlockBatchMQ:           (*Broker).unlockBatch,
		protocol.QueryAssignment:         (*Broker).queryAssignment,
		protocol.SetMessageRequestMode:   (*Broker).setMessageRequestMode,

		protocol.UpdateAndCreateTopic:             (*Broker).updateTopic,
		protocol.DeleteTopicInBroker:              (*Broker).deleteTopic,
		protocol.GetAllTopicConfig:                (*Broker).allTopicConfig,
		protocol.GetTopicConfig:                   (*Broker).topicConfig,
		protocol.GetSystemTopicListFromBroker:     (*Broker).systemTopicList,
		protocol.UpdateAndCreateSubscriptionGroup: (*Broker).updateGroup,
		protocol.GetAllSubscriptionGroupConfig:    (*Broker).allGroupConfig,
		protocol.GetSubscriptionGroupConfig:       (*Broker).groupConfig,
		protocol.DeleteSubscriptionGroup:          (*Broker).deleteGroup,
		protocol.QueryTopicConsumeByWho:           (*Broker).whoConsumes,
		protocol.QueryTopicsByConsumer:            (*Broker).topicsOfGroup,
		protocol.QuerySubscriptionByConsumer:      (*Broker).subscriptionOfGroup,
		protocol.GetTopicStatsInfo:                (*Broker).topicStats,
		protocol.GetConsumeStats:                  (*Broker).consumeStats,
		protocol.GetConsumerConnectionList:        (*Broker).consumerConnections,
		protocol.GetProducerConnectionList:        (*Broker).producerConnections,
		protocol.GetAllProducerInfo:               (*Broker).allProducers,
		protocol.InvokeBrokerToResetOffset:        (*Broker).resetOffset,
		protocol.CloneGroupOffset:                 (*Broker).cloneOffsets,
		protocol.GetConsumerRunningInfo:           (*Broker).relayRunningInfo,
		protocol.ConsumeMessageDirectly:           (*Broker).relayDirectly,
		protocol.InvokeBrokerToGetConsumerStatus:  (*Broker).consumerStatus,
		protocol.ViewMessageByID:                  (*Broker).viewMessage,
		protocol.QueryMessage:                     (*Broker).queryMessage,
		protocol.GetBrokerRuntimeInfo:             (*Broker).runtimeInfo,
		protocol.GetBrokerConfig:                  (*Broker).brokerConfig,
		protocol.GetAllConsumerOffset:             (*Broker).allOffsets,
		protocol.QueryConsumeQueue:                (*Broker).queryConsumeQueue,
		protocol.QueryConsumeTimeSpan:             (*Broker).consumeTimeSpan,
		protocol.UpdateAndGetGroupForbidden:       (*Broker).groupForbidden,
		protocol.GetBrokerConsumeStats:            (*Broker).brokerConsumeStats,
		protocol.GetAllDelayOffset:                (*Broker).delayOffsets,
	})
}

// nameServerHandlers lists what the name server serves.
func nameServerHandlers() map[int32]func(*NameServer, *Request) {
	return byCode(map[protocol.RequestCode]func(*NameServer, *Request){
		protocol.GetRouteInfoByTopic:           (*NameServer).getRoute,
		protocol.GetBrokerClusterInfo:          (*NameServer).getClusterInfo,
		protocol.GetAllTopicListFromNameserver: (*NameServer).getAllTopics,
		protocol.RegisterBroker:                (*NameServer).registerBroker,
		protocol.UnregisterBroker:              (*NameServer).unregisterBroker,
		protocol.QueryDataVersion:              (*NameServer).queryDataVersion,
		protocol.BrokerHeartbeat:               (*NameServer).brokerHeartbeat,
		protocol.GetBrokerMemberGroup:          (*NameServer).memberGroup,
		protocol.WipeWritePermOfBroker:         (*NameServer).wipeWritePerm,
		protocol.AddWritePermOfBroker:          (*NameServer).addWritePerm,
		protocol.GetTopicsByCluster:            (*NameServer).topicsByCluster,
		protocol.GetSystemTopicListFromNS:      (*NameServer).systemTopics,
		protocol.DeleteTopicInNamesrv:          (*NameServer).deleteTopic,
		protocol.RegisterTopicInNamesrv:        (*NameServer).registerForeignTopic,
		protocol.PutKVConfig:                   (*NameServer).putKV,
		protocol.GetKVConfig:                   (*NameServer).getKV,
		protocol.DeleteKVConfig:                (*NameServer).deleteKV,
		protocol.GetKVListByNamespace:          (*NameServer).listKV,
	})
}

func byCode[H any](list map[protocol.RequestCode]H) map[int32]H {
	m := make(map[int32]H, len(list))
	for code, h := range list {
		m[int32(code)] = h
	}
	return m
}
