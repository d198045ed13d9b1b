/** How the offline engine says, in both its languages, that what was asked was not understood, not done, or has failed. */
export const ANSWERED_BADLY =
  /failed|did not work|the others are not|not (?:start|store|find)|(?:ran|scheduled) nothing|not understand|cannot answer|失败|没有成功|其余没有完成|我没有|没有找到|没有看懂|无法回答/;
