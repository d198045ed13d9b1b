/** The few sentences of its own that this process says to people: in both languages, because nothing tells it theirs. */

export const WORDS = {
  paired:
    "Paired. From now on you speak here as the owner of this Mimikit, and its answers come here.\n已配对。从现在起，你在这里就是这个 Mimikit 的主人，回答也会发到这里。",
  repeated: "(This may be a repetition.)（这条可能是重复的）",
  closed: "This question is closed. 这个问题已经关闭。",
  noted: "Answered. 已回答。",
  answerByNumber: "Reply to this message with a number. 请回复这条消息，写上编号。",
  answerElsewhere: "Answer it on the page or in a terminal. 请在网页或终端里回答。",
  unfetched: (name: string, reason: string) => `[${name} could not be taken: ${reason}]`,
  file: "file",
};
