/** Shows the notifications that the page hands it and leads back to the page. It keeps nothing, and answers no request. */
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(leadBack());
});

/** To the page that is open, or else to a new one. */
async function leadBack() {
  // A page is there before the first worker is, and is not under its control.
  const [page] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  await (page === undefined ? self.clients.openWindow(".") : page.focus());
}
