#include <poplar/CodeletFileType.hpp>
#include <poplar/impl/codelet/Codelet.hpp>

#include <doctest/doctest.h>

using cottonwood::codelet::normaliseName;

TEST_SUITE_BEGIN("poplar/codelet/name");

TEST_CASE("names are spelled in one way") {
  CHECK(normaliseName("Vertex") == "Vertex");
  CHECK(normaliseName("::ns::Vertex") == "ns::Vertex");
  CHECK(normaliseName("ns :: Vertex < half , float > ") == "ns::Vertex<half,float>");
  CHECK(normaliseName("V<A<float> >") == "V<A<float>>");
  CHECK(normaliseName("V<::ns::A, ::ns::B>") == "V<ns::A,ns::B>");
  CHECK(normaliseName("V<poplar::half>") == "V<half>");
  CHECK(normaliseName("popops::Op<popops::expr::BinaryOpType::ADD, float>") ==
        "popops::Op<popops::expr::BinaryOpType::ADD,float>");
}

TEST_CASE("integer types are spelled as Type::toString spells them") {
  CHECK(normaliseName("V<unsigned>") == "V<unsigned int>");
  CHECK(normaliseName("V<unsigned   int,true>") == "V<unsigned int,true>");
  CHECK(normaliseName("V<short int>") == "V<short>");
  CHECK(normaliseName("V<short unsigned int>") == "V<unsigned short>");
  CHECK(normaliseName("V<long long unsigned>") == "V<unsigned long long>");
  CHECK(normaliseName("V<long int>") == "V<long>");
  CHECK(normaliseName("V<signed char,char,unsigned char>") == "V<signed char,char,unsigned char>");
  CHECK(normaliseName("V<uint16_t,std::int32_t,std::uint8_t>") ==
        "V<unsigned short,int,unsigned char>");
  CHECK(normaliseName("V<std::size_t>") == "V<unsigned long>");
}

TEST_CASE("numbers lose their suffix") {
  CHECK(normaliseName("V<4u,-3,8UL>") == "V<4,-3,8>");
  CHECK(normaliseName("V<0x1f>") == "V<0x1f>");
}

TEST_CASE("kinds of codelet files") {
  using poplar::CodeletFileType;
  CHECK(poplar::getCodeletFileType("a/b.cpp") == CodeletFileType::CppSource);
  CHECK(poplar::getCodeletFileType("x.S") == CodeletFileType::AsmSource);
  CHECK(poplar::getCodeletFileType("x.s") == CodeletFileType::PreprocessedAsmSource);
  CHECK(poplar::getCodeletFileType("x.gp") == CodeletFileType::Object);
  CHECK(poplar::getCodeletFileType("x.txt") == CodeletFileType::Auto);
  CHECK(poplar::getExtensionFromFileType(CodeletFileType::CppSource) == ".cpp");
  CHECK(poplar::getLanguageOption(CodeletFileType::CppSource) == "c++");
  CHECK(poplar::getLanguageOption(CodeletFileType::Object).empty());
}

TEST_SUITE_END();
