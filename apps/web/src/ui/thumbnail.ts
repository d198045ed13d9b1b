/** A small picture of a picture. It is drawn here and is a data URL, which the content security policy allows; the file itself is none. */

const SIDE_PX_MAX = 320;
const QUALITY = 0.85;

/** A data URL, at most `sidePxMax` wide and high; undefined for what this browser cannot draw. */
export async function thumbnailOf(file: Blob, sidePxMax = SIDE_PX_MAX): Promise<string | undefined> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch (error) {
    // `InvalidStateError` and its like: the bytes are no picture, or none that this browser knows.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
  const scale = Math.min(1, sidePxMax / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL("image/webp", QUALITY);
}
