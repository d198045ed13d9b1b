/** The Chinese of the recipes that come with Mimikit: what each is for, and its questions. */
export const RECIPES: Readonly<Record<string, string>> = {
  "Reminds you once a week to copy what matters to another disk, and how that is done for Mimikit.":
    "每周提醒你把重要的内容复制到另一个磁盘，并说明怎样备份 Mimikit。",
  "Reminds you every year of one birthday. Add it once more for each further one, with --as.":
    "每年提醒你一个生日。还有其他生日时，用 --as 再添加一次。",
  "Says once a day how full the disk is on which a folder lies.": "每天报告一次某个文件夹所在的磁盘用了多少。",
  "Says on weekdays which commits a git repository has got since the day before.":
    "工作日报告一个 git 仓库从前一天以来有哪些提交。",
  "Shows the last lines with an error when a log of the workspace has grown, at most every ten minutes.":
    "工作区里的日志变长时，显示最后几行错误，最多每十分钟一次。",
  "Gathers before a weekly meeting what was said and noted about it, and what is still open.":
    "在每周的会议之前，整理有关它的对话和笔记，以及尚未完成的事。",
  "A short overview on weekdays of what is due today, what waits for you and what went wrong overnight.":
    "工作日的简短概览：今天到期的事、等你处理的事，以及夜里出了什么问题。",
  "Shows the next open entries (- [ ]) of a Markdown list that you keep in the workspace.":
    "显示工作区里一个 Markdown 列表接下来的未完成条目（- [ ]）。",
  "Lists the newest files of a folder of the workspace when something in it is created, written or removed.":
    "工作区的某个文件夹里有文件创建、写入或删除时，列出其中最新的文件。",
  "Looks on Friday at what changed in the workspace in the week, and says what is unfinished. It can change nothing.":
    "每周五查看工作区一周的变化，并指出未完成的事。它不能更改任何内容。",
  "At what time of the day?": "每天几点？",
  "On which day of the week, 0 (Sunday) to 6?": "星期几？0（星期日）到 6",
  "Whose birthday is it?": "谁的生日？",
  "On which day, month first (04-17)?": "哪一天？月份在前（04-17）",
  "Which folder?": "哪个文件夹？",
  "Which repository?": "哪个仓库？",
  "Which file?": "哪个文件？",
  "How many lines at most?": "最多多少行？",
  "What is the meeting called?": "会议叫什么名称？",
  "At what time should it be ready?": "几点之前准备好？",
  "How many entries?": "多少个条目？",
  "At what time on Saturdays?": "星期六几点？",
  "At what time on Fridays?": "星期五几点？",
};
