/** Builds the page into `dist/`, with relative addresses, for the gateway to serve under its content security policy. */
import { defineConfig, type Plugin } from "vite";
import { diagramFrame } from "./diagram-frame.ts";

/** Of KaTeX's fonts in three formats, the one that every browser of today reads. */
const oneFontFormat: Plugin = {
  name: "one-font-format",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("katex.min.css") ? code.replace(/,url\([^(),]+\) format\("(?:woff|truetype)"\)/g, "") : undefined,
};

export default defineConfig({
  plugins: [oneFontFormat, diagramFrame()],
  base: "./",
  build: {
    target: "es2022",
    // The policy allows images from `data:`, but a file is simpler to reason about than an exception.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The views are loaded while nothing else is to be done: a list of what each needs would make the first script larger.
      resolveDependencies: (_file, needed, { hostType }) =>
        hostType === "js" ? needed.filter((name) => name.endsWith(".css")) : needed,
    },
    license: { fileName: "LICENSES.md" },
    rolldownOptions: {
      // To build the frame of diagrams takes longer than all the rest.
      checks: { pluginTimings: false },
      output: {
        // The words of a language are known by their name: a view may have the same.
        chunkFileNames: ({ facadeModuleId }) => {
          const language = /\/i18n\/(en|zh)\//.exec(facadeModuleId ?? "")?.[1];
          return `assets/${language === undefined ? "" : `${language}-`}[name]-[hash].js`;
        },
        // The code that is loaded first is one file: in a dozen of them it is larger, and asked for a dozen times.
        codeSplitting: { groups: [{ name: "page", test: /apps\/web\/src\/main\.tsx$/ }] },
      },
    },
  },
});
