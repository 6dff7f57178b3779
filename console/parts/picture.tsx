// A response body that is not text: shows pictures; other bodies can only be downloaded.

import { useEffect, useState } from "preact/hooks";
import { bytes, clipForDisplay } from "../data/text.js";

/** Formats that browsers can show. Scripts in an SVG do not run within an `img`. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml|bmp)$/;

interface PictureProps {
  readonly body: Blob;
  /** Shows only type and size. */
  readonly isPlain?: boolean;
}

export function Picture({ body, isPlain = false }: PictureProps) {
  const type = body.type.split(";", 1)[0]!;
  const isShown = !isPlain && SHOWN.test(type);
  const [url, setUrl] = useState("");
  const [size, setSize] = useState("");
  useEffect(() => {
    if (!isShown) return;
    const objectUrl = URL.createObjectURL(body);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [body, isShown]);
  const about = `${clipForDisplay(type, 60)}${size}, ${bytes(body.size)}`;
  if (!isShown) return <p class="soft">{about}: the body is no text, download it.</p>;
  return (
    <figure class="stack">
      {url !== "" && (
        <img
          class="picture"
          src={url}
          alt="Response body"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize(`, ${naturalWidth} × ${naturalHeight}`)
          }
        />
      )}
      <figcaption class="soft s">{about}</figcaption>
    </figure>
  );
}
