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
	})
}

// nameServerHandlers lists what the name server serves.
func nameServerHandlers() map[int32]func(*NameServer, *Request) {
	return byCode(map[protocol.RequestCode]func(*NameServer, *Request){
		protocol.GetRouteInfoByTopic:           (*NameServer).getRoute,
		protocol.GetBrokerClusterInfo:          (*NameServer).getClusterInfo,
		protocol.GetAllTopicListFromNameserver: (*NameServer).getAllTopics,
	})
}

func byCode[H any](list map[protocol.RequestCode]H) map[int32]H {
	m := make(map[int32]H, len(list))
	for code, h := range list {
		m[int32(code)] = h
	}
	return m
}
