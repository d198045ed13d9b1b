/** Built by `vite.config.ts`: the address of the document that draws diagrams. */
declare module "virtual:diagram-frame" {
  const address: string;
  export default address;
}
