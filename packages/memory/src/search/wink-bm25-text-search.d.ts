/** What we use of wink-bm25-text-search 3.1.2, which has no types of its own. */
declare module "wink-bm25-text-search" {
  interface Engine {
    defineConfig(config: { fldWeights: Record<string, number>; bm25Params: { k1: number; b: number } }): boolean;
    definePrepTasks(tasks: ((text: string) => string[])[]): number;
    /** Throws after `consolidate`, and for an id that is known. */
    addDoc(document: Record<string, string>, id: number): number;
    /** Throws below three documents, and the second time. */
    consolidate(precision?: number): boolean;
    /** Ids come back as text; best first. */
    search(text: string, limit: number): [id: string, score: number][];
    /** The number of each word. */
    getTokens(): Record<string, number>;
    /** The weight of each word, by its number. */
    getIDF(): number[];
    getTotalDocs(): number;
    getTotalCorpusLength(): number;
  }
  export default function createEngine(): Engine;
}
