/** Builds the page into `dist/`, with relative addresses, for the gateway to serve under its content security policy. */
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    // The policy allows images from `data:`, but a file is simpler to reason about than an exception.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What is loaded at first is one file: in a dozen of them it is larger, and asked for a dozen times.
        codeSplitting: { groups: [{ name: "page", test: /apps\/web\/src\/main\.tsx$/ }] },
      },
    },
  },
});
