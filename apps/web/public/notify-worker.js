/**
 * Shows notifications: those that the page hands it, and those that come by Web Push while no page is open. A click leads to the page,
 * a button answers a question. It keeps nothing, and answers no request of the page.
 */

/** Apple takes the subscription away from who is sent a push and shows nothing. */
const mustShow = /AppleWebKit/.test(navigator.userAgent) && !/Chrom|Android/.test(navigator.userAgent);

addEventListener("install", () => self.skipWaiting());
// Only a page under its control can be led to another place.
addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
addEventListener("push", (event) => {
  if (event.data) event.waitUntil(tell(event.data.json()));
});
addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  const news = notification.data ?? {};
  notification.close();
  event.waitUntil(action === "" ? leadTo(news.page ?? "./") : answer(news, Number(action)));
});

/** The gateway says `id, title, body, page, always`, and of a question that buttons answer `options, proof, closed, unsent`. */
async function tell(news) {
  const looks = (await pages()).some(({ focused, visibilityState }) => focused && visibilityState === "visible");
  if (looks && !news.always && !mustShow) return;
  await show(news, news.body);
}

/** The same id takes the place of what is shown under it, without ringing again. */
function show(news, body) {
  return self.registration.showNotification(news.title, {
    body,
    tag: news.id,
    icon: "icon-192.png",
    data: news,
    actions: (news.options ?? []).map((title, place) => ({ action: String(place), title })),
  });
}

/** The cookie says which device this is, and the proof that it was asked. */
async function answer(news, option) {
  const body = JSON.stringify({ questionId: news.id, option, proof: news.proof });
  const headers = { "Content-Type": "application/json" };
  let status = 0;
  try {
    status = (await fetch("api/push/answer", { method: "POST", headers, body })).status;
  } catch (error) {
    // No connection: it can be pressed again.
    if (!(error instanceof TypeError)) throw error;
  }
  if (status === 404 || status === 410) return show({ ...news, options: [] }, news.closed);
  if (status !== 202) return show(news, `${news.unsent}\n\n${news.body}`);
}

/** To the page that is open, or else to a new one. */
async function leadTo(place) {
  const address = new URL(place, self.registration.scope).href;
  const [page] = await pages();
  if (page === undefined) return self.clients.openWindow(address);
  await page.focus();
  if (place !== "./") await page.navigate(address);
}

/** Those of ours, and not of others below the same address. A page is there before the first worker is, and may not be under its control yet. */
async function pages() {
  const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter(({ url }) => url.startsWith(self.registration.scope));
}
