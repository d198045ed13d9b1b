/** The used part of wink-bm25-text-search 3.1.2, which has no types of its own. */
declare module "wink-bm25-text-search" {
  interface Engine {
    defineConfig(config: { fldWeights: Record<string, number>; bm25Params: { k1: number; b: number } }): boolean;
    definePrepTasks(tasks: ((text: string) => string[])[]): number;
    /**
     * Takes what `exportJSON` makes: config, totals, documents by their ids, ids by the numbers of words, how many words, and
     * their numbers. Throws where it has another form.
     */
    importJSON(json: string): boolean;
    /** Those that it holds, by their ids, which may be added to: how often each has which word, by its number, and its length. */
    getDocs(): Record<number, { freq: Record<number, number>; length: number }>;
    /** Makes weights of counts. Throws below three documents, and the second time. */
    consolidate(precision?: number): boolean;
    /** Ids come back as text; best first. */
    search(text: string, limit: number): [id: string, score: number][];
  }
  export default function createEngine(): Engine;
}
