// A body that is no text: a picture is shown, everything else can only be downloaded.

import { useEffect, useState } from "preact/hooks";

/** Formats that browsers show; scripts in an SVG do not run in an image. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml|bmp)$/;

export function Picture({ body }: { readonly body: Blob }) {
  const isShown = SHOWN.test(body.type.split(";", 1)[0]!);
  const [url, setUrl] = useState("");
  useEffect(() => {
    if (!isShown) return;
    const objectUrl = URL.createObjectURL(body);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [body, isShown]);
  if (!isShown) return <p class="soft">The body is no text: download it.</p>;
  return url === "" ? null : <img class="picture" src={url} alt="Response body" />;
}
