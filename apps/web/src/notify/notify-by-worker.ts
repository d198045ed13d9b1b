/** Notifications where the browser lets no page show them, but only a worker of the page: on Android. */

/** Rejects where there are no workers either. */
export async function notifyByWorker(title: string, options: NotificationOptions): Promise<void> {
  if (!("serviceWorker" in navigator)) throw new Error("this browser has no service workers");
  await navigator.serviceWorker.register("notify-worker.js");
  const registration = await navigator.serviceWorker.ready;
  // It was pushed already, and may have buttons.
  if ((await registration.getNotifications(options.tag === undefined ? {} : { tag: options.tag })).length > 0) return;
  await registration.showNotification(title, options);
}
