/** Days of ordinary talk with an assistant: what each message needs of what was said long before it, if anything. */

export interface Scene {
  asked: string;
  reply: string;
  /** Words of the earlier message that the reply needs. */
  needs?: string;
}

const scene = (asked: string, reply: string, needs?: string): Scene => ({
  asked,
  reply,
  ...(needs !== undefined && { needs }),
});

export const SCENES: readonly Scene[] = [
  scene("hello, what can you do for me?", "I answer questions, keep notes and reminders, and work on files."),
  scene(
    "how does a heat pump work, and is it worth it for our old house?",
    "A heat pump moves heat from outside into the house, like a fridge in reverse. You set your boiler aside. Air source costs roughly €20,000, ground source more. For advice call 0800 555 0199, the line is often low on staff.",
  ),
  scene("what's the capital of Australia again? Sydney?", "Canberra. Sydney is only the largest city."),
  scene(
    "what eats the space in my Downloads folder?",
    "Two videos: holiday-video.mp4 with 4 GB, and drone-raw.mov with 2 GB.",
  ),
  scene("my wife Anna doesn't eat fish by the way", "Good to know."),
  scene("our daughter Mia is allergic to nuts", "I will keep that in mind: no nuts for Mia."),
  scene("remind me to call the dentist Dr. Rossi on Monday at ten", "I will remind you on Monday at ten."),
  scene(
    "give me a chili recipe for nine people",
    "Brown 2 kg of minced beef, add 4 onions, 6 tins of tomatoes, 5 tins of kidney beans and 3 tbsp cumin. Simmer for two hours.",
  ),
  scene(
    "sum up these minutes of the council meeting for me",
    "Here is the gist of the meeting: the council sells the old swimming pool, the library gets a lift, and Mr. Stein thanks the council for its work.",
  ),
  scene(
    "write a letter to our landlord Mr. Krüger about the broken heating",
    "Dear Mr. Krüger, the heating in our flat has been out of order since the 3rd of November. …",
  ),
  scene(
    "rename the 30 photos of Lisbon by their date",
    "The 30 photos are renamed: 2026-05-02-lisbon-01.jpg and so on.",
  ),
  scene("the wifi of the holiday flat is Atlantico-77", "Noted."),
  scene("I lent the drill to Bartholomew", "Noted."),
  scene("the car goes to the garage Lindqvist for its inspection in March", "Noted."),
  scene("我们家的备用钥匙放在鞋柜最下层", "好的，记住了。"),
  scene("我女儿的钢琴老师姓欧阳", "记住了。"),
  scene("unser Vermieter heißt Krüger und wohnt in der Lindenstraße", "Notiert."),
  scene("Die Mülltonne wird donnerstags geleert", "Notiert."),
  scene("how long do I boil an egg?", "Six minutes for a soft one."),
  scene("remind me in two minutes", "I will."),
  scene("thank you so much", "You are welcome."),
  scene("is 15 % tip too much?", "In most places it is fine."),
  scene("yes show me", "Here it is."),
  scene("try it again", "It works now."),
  scene("I feel a bit low", "I am sorry to hear that. Do you want to talk about it?"),
  scene("what did it cost?", "Nothing so far."),
  scene("Wie viel Uhr ist es?", "Es ist zehn Uhr."),
  scene("谢谢", "不客气。"),
  scene("再试一次", "好的。"),
  scene("好的，继续吧", "好的。"),
  scene("Danke schön!", "Gern."),
  scene("Guten Morgen", "Guten Morgen!"),
  scene("good night", "Good night."),
  scene("what day is it tomorrow?", "Sunday."),
  scene("set a timer for ten minutes", "Done."),
  scene("what should I cook for dinner with Mia and her friend?", "Pasta without nuts.", "allergic to nuts"),
  scene("what was the password of the wifi in the holiday flat?", "Atlantico-77.", "Atlantico-77"),
  scene("who has my drill?", "Bartholomew.", "Bartholomew"),
  scene("translate 'good evening' into French", "Bonsoir."),
  scene("when is the car inspection?", "In March.", "Lindqvist"),
  scene("how many onions were in the chili?", "Four.", "4 onions"),
  scene("备用钥匙在哪里？", "鞋柜最下层。", "鞋柜最下层"),
  scene("钢琴老师姓什么？", "欧阳。", "欧阳"),
  scene("现在几点了？", "十点。"),
  scene("Wo wohnt Herr Krueger?", "In der Lindenstraße.", "Lindenstraße"),
  scene("Wann wird die Mülltonne geleert?", "Donnerstags.", "donnerstags"),
  scene("tell me a joke", "Why did the scarecrow win a prize? It was outstanding in its field."),
  scene("what does the council do with the swimming pool?", "It sells it.", "swimming pool"),
  scene("are you still there?", "Yes."),
  scene("what is 17 times 23?", "391."),
  scene("who is our dentist?", "Dr. Rossi.", "Rossi"),
  scene("ok great, that's all for today", "Have a good evening."),
  scene("remind me in a minute to turn off the oven", "I will."),
  scene("how warm is it outside?", "It is 4 degrees."),
  scene("what did I write to Mr. Kruger about the heating?", "That it is out of order.", "heating"),
  scene("write a haiku about rain", "Soft rain on the roof …"),
  scene("how long does bread dough have to rise?", "About an hour."),
];

/** Texts that were recalled for a message, and had nothing to do with it but a word. */
export const CHANCE: readonly (readonly [asked: string, shown: string])[] = [
  ["remind me in two minutes to take out the boiled egg", "boiler"],
  ["how long do I boil an egg?", "boiler"],
  ["thank you so much", "Mr. Stein thanks the council"],
  ["thanks", "Mr. Stein thanks the council"],
  ["yes show me", "I could not finish this reply"],
  ["try it again", "capital of Australia"],
  ["I feel a bit low", "heat pump"],
  ["I feel a bit low", "0800 555 0199"],
  ["what did it cost?", "Air source costs"],
  ["Wie viel Uhr ist es in New York?", "gist of the meeting"],
  ["Wie viel Uhr ist es", "gist of the meeting"],
  ["turn off the oven", "Anna"],
  ["再试一次", "备用钥匙"],
];
