#include <bench/plan/Shapes.hpp>

namespace cottonwood::plan {

namespace {

Shape product(char const *name, std::uint64_t g, std::uint64_t m, std::uint64_t k, std::uint64_t n,
              std::uint64_t half, std::uint64_t single) {
  return {name, Product{g, m, k, n}, std::nullopt, half, single};
}

/// Two dimensions of the field.
Shape conv(char const *name, std::uint64_t batch, std::uint64_t in, std::uint64_t out,
           std::uint64_t height, std::uint64_t width, std::uint64_t kernel, std::uint64_t stride,
           std::uint64_t padding, std::uint64_t half) {
  return {name, std::nullopt,
          Convolution{batch,
                      in,
                      out,
                      1,
                      {height, width},
                      {kernel, kernel},
                      {stride, stride},
                      {padding, padding},
                      {1, 1}},
          half, 0};
}

Shape other(char const *name, Convolution const &c) { return {name, std::nullopt, c, 0, 0}; }

} // namespace

std::vector<Shape> const &shapes() {
  static std::vector<Shape> const all{
      product("BERT-B QKV s128", 1, 128, 768, 2304, 8727, 13382),
      product("BERT-B proj", 1, 128, 768, 768, 4173, 6210),
      product("BERT-B ff1", 1, 128, 768, 3072, 10740, 16877),
      product("BERT-B ff2", 1, 128, 3072, 768, 12051, 18136),
      product("BERT-L QKV b4 s384", 1, 1536, 1024, 3072, 101462, 176068),
      product("BERT-L proj", 1, 1536, 1024, 1024, 41526, 68033),
      product("BERT-L ff1", 1, 1536, 1024, 4096, 128687, 224495),
      product("BERT-L ff2", 1, 1536, 4096, 1024, 129847, 221762),
      product("BERT-L QKT", 64, 384, 64, 384, 19056, 33500),
      product("BERT-L AV", 64, 384, 384, 64, 22022, 38660),
      product("BERT-L QKT s512", 16, 512, 64, 512, 9296, 15350),
      product("BERT-L ff1 WU", 1, 1024, 1536, 4096, 126935, 221933),
      product("BERT-L MLM head", 1, 20, 1024, 30522, 22660, 39578),
      product("GPT-2 QKV s1024", 1, 1024, 768, 2304, 45597, 75586),
      product("GPT-2 ff1", 1, 1024, 768, 3072, 57582, 96274),
      product("GPT-2 head /8", 1, 1024, 768, 6283, 101398, 175836),
      product("GPT2-XL ff1", 1, 1024, 1600, 6400, 192665, 335301),
      product("GPT-13B ff1 /8", 1, 2048, 5120, 2560, 498228, 881804),
      product("decode QKV b1", 1, 1, 768, 2304, 2421, 3742),
      product("decode ff1 b8", 1, 8, 4096, 16384, 21888, 38366),
      product("GPT-J decode /4", 1, 16, 4096, 4096, 7972, 13758),
      product("ViT-B QKV b8", 1, 1576, 768, 2304, 72172, 113031),
      product("ViT-B ff1 b8", 1, 1576, 768, 3072, 91199, 144684),
      product("ResNet-50 fc b16", 1, 16, 2048, 1000, 2504, 3891),
      product("ResNet-50 fc b256", 1, 256, 2048, 1000, 17122, 26253),
      product("LSTM-512 b16", 1, 16, 1024, 2048, 2586, 3921),
      product("LSTM-1024 b32", 1, 32, 2048, 4096, 9492, 14929),
      product("LSTM-256 b64", 1, 64, 512, 1024, 2698, 3961),
      product("DLRM bottom", 1, 2048, 512, 256, 10660, 18338),
      product("DLRM top", 1, 2048, 1024, 1024, 52759, 91912),
      product("square 1024", 1, 1024, 1024, 1024, 30369, 49788),
      product("square 2048", 1, 2048, 2048, 2048, 161496, 287131),
      product("square 4096", 1, 4096, 4096, 4096, 1202540, 2264496),
      product("skew (deep K)", 1, 64, 8192, 64, 3157, 4564),
      product("skew (thin K)", 1, 8192, 64, 8192, 85132, 157860),
      product("GCN features", 1, 50000, 128, 128, 25038, 43647),
      conv("ResNet-50 conv1 7x7 s2, b4", 4, 3, 64, 224, 224, 7, 2, 3, 19461),
      conv("ResNet-50 conv1 7x7 s2, b16", 16, 3, 64, 224, 224, 7, 2, 3, 52718),
      conv("ResNet-50 c2 1x1, b4", 4, 64, 64, 56, 56, 1, 1, 0, 2808),
      conv("ResNet-50 c2 3x3, b4", 4, 64, 64, 56, 56, 3, 1, 1, 14869),
      conv("ResNet-50 c2 1x1 up, b4", 4, 64, 256, 56, 56, 1, 1, 0, 6887),
      conv("ResNet-50 c3 3x3 s2, b4", 4, 128, 128, 56, 56, 3, 2, 1, 16364),
      conv("ResNet-50 c3 1x1 s2, b4", 4, 256, 512, 56, 56, 1, 2, 0, 15534),
      conv("ResNet-50 c3 3x3, b4", 4, 128, 128, 28, 28, 3, 1, 1, 14600),
      conv("ResNet-50 c4 3x3, b4", 4, 256, 256, 14, 14, 3, 1, 1, 16193),
      conv("ResNet-50 c4 1x1 down, b4", 4, 1024, 256, 14, 14, 1, 1, 0, 8120),
      conv("ResNet-50 c5 3x3, b4", 4, 512, 512, 7, 7, 3, 1, 1, 19766),
      conv("ResNet-50 c5 1x1 up, b4", 4, 512, 2048, 7, 7, 1, 1, 0, 8812),
      conv("ResNet-50 c3 3x3, b16", 16, 128, 128, 28, 28, 3, 1, 1, 44841),
      conv("ResNet-50 c4 3x3, b16", 16, 256, 256, 14, 14, 3, 1, 1, 48377),
      conv("ResNet-50 c5 3x3, b16", 16, 512, 512, 7, 7, 3, 1, 1, 52627),
      conv("MobileNetV2 1x1 expand, b8", 8, 32, 192, 28, 28, 1, 1, 0, 2033),
      conv("EfficientNet-B0 1x1, b8", 8, 80, 480, 14, 14, 1, 1, 0, 3479),
      conv("EfficientNet-B4 1x1, b4", 4, 1632, 272, 12, 12, 1, 1, 0, 10651),
      conv("U-Net 3x3 64 ch 256^2", 1, 64, 64, 256, 256, 3, 1, 1, 49237),
      conv("U-Net 3x3 512 ch 32^2", 1, 512, 512, 32, 32, 3, 1, 1, 50546),
      conv("VGG 3x3 512 14^2, b4", 4, 512, 512, 14, 14, 3, 1, 1, 44203),
      conv("YOLOv4 3x3 512 19^2", 1, 512, 512, 19, 19, 3, 1, 1, 27915),
      conv("tutorials conv benchmark default", 1, 4, 64, 1080, 1920, 4, 2, 3, 46614),
      conv("ViT patch 16 embed, b8", 8, 3, 768, 224, 224, 16, 16, 0, 28287),
      conv("Stable Diffusion 3x3 320", 2, 320, 320, 64, 64, 3, 1, 1, 134969),
      conv("Stable Diffusion 3x3 1280", 2, 1280, 1280, 16, 16, 3, 1, 1, 151627),
      conv("DeepLab 3x3 512 28^2", 1, 512, 512, 28, 28, 3, 1, 1, 42262),
      conv("Inception 1x1 768->192, b8", 8, 768, 192, 17, 17, 1, 1, 0, 12029),
      other("MobileNetV2 depthwise 3x3 s2, b8",
            {8, 96, 96, 96, {112, 112}, {3, 3}, {2, 2}, {1, 1}, {1, 1}}),
      other("MobileNetV2 depthwise 3x3, b8",
            {8, 192, 192, 192, {28, 28}, {3, 3}, {1, 1}, {1, 1}, {1, 1}}),
      other("EfficientNet-B0 depthwise 5x5, b8",
            {8, 240, 240, 240, {28, 28}, {5, 5}, {1, 1}, {2, 2}, {1, 1}}),
      other("EfficientNet-B4 groups of 16 5x5, b4",
            {4, 672, 672, 42, {24, 24}, {5, 5}, {1, 1}, {2, 2}, {1, 1}}),
      other("ResNeXt-101 32 groups of 4 3x3, b4",
            {4, 128, 128, 32, {56, 56}, {3, 3}, {1, 1}, {1, 1}, {1, 1}}),
      other("ResNeXt-101 32 groups of 8 3x3, b4",
            {4, 256, 256, 32, {28, 28}, {3, 3}, {1, 1}, {1, 1}, {1, 1}}),
      other("U-Net 3D stem 3^3",
            {1, 1, 32, 1, {64, 64, 64}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}),
      other("U-Net 3D 3^3 32 ch 64^3",
            {1, 32, 32, 1, {64, 64, 64}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}),
      other("U-Net 3D 3^3 64 ch 32^3",
            {1, 64, 64, 1, {32, 32, 32}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}),
      other("U-Net 3D 3^3 128 ch 16^3",
            {1, 128, 128, 1, {16, 16, 16}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}),
      other("DeepLab ASPP 3x3 rate 6", {1, 2048, 256, 1, {33, 33}, {3, 3}, {1, 1}, {6, 6}, {6, 6}}),
      other("DeepLab ASPP 3x3 rate 12",
            {1, 2048, 256, 1, {33, 33}, {3, 3}, {1, 1}, {12, 12}, {12, 12}}),
      other("DeepLab ASPP 3x3 rate 18",
            {1, 2048, 256, 1, {33, 33}, {3, 3}, {1, 1}, {18, 18}, {18, 18}}),
      other("wav2vec 2 k 3 s 2", {1, 512, 512, 1, {3199}, {3}, {2}, {0}, {1}}),
      other("wav2vec 2 positional k 128", {1, 768, 768, 16, {499}, {128}, {1}, {64}, {1}}),
      other("Inception 1x7, b8", {8, 192, 192, 1, {17, 17}, {1, 7}, {1, 1}, {0, 3}, {1, 1}}),
      other("4096^2 image 3x3, 3->16",
            {1, 3, 16, 1, {4096, 4096}, {3, 3}, {1, 1}, {1, 1}, {1, 1}})};
  return all;
}

} // namespace cottonwood::plan
